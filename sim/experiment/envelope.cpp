#include "futexsim/experiment/envelope.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "futexsim/experiment/published_table.hpp"
#include "futexsim/experiment/text_table.hpp"
#include "futexsim/kernel/mempolicy.hpp"
#include "futexsim/parts/csv_table.hpp"
#include "futexsim/parts/document.hpp"
#include "futexsim/parts/nearest_name.hpp"
#include "json_cell.hpp"

namespace futexsim {
namespace {

/// Rows that are farther from a point than the nearest one by no more than this count as well.
constexpr double neighbourhood = 0.75;
constexpr std::size_t most_rows = 5;

double doublings(double a, double b) {
  return std::abs(std::log2(a / b));
}

bool on_one_node(const Point& point) {
  std::set<NodeId> nodes;
  for (const CpuId cpu : point.placement().cpus()) {
    nodes.insert(point.machine().topology().node_of(cpu));
  }
  return nodes.size() == 1;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string named(const std::string& what, const std::string& own, const std::string& other) {
  return what + " " + own + " (measured: " + other + ")";
}

/// "0.13", "240".
std::string short_number(double value) {
  return fixed(value, value < 10 && value != std::round(value) ? 2 : 0);
}

}  // namespace

Envelope::Envelope(const Catalogue& catalogue) : catalogue_(catalogue) {
  const std::filesystem::path file = catalogue.folder() / "validated.csv";
  std::error_code missing;
  if (!std::filesystem::exists(file, missing)) return;
  const CsvTable csv = CsvTable::read(file.string());
  csv.require_columns({"table", "machine", "kernel", "threads", "placement", "policy", "hash",
                       "buckets", "processes", "error", "role"});
  const std::vector<std::string> machines = catalogue.machines();
  const auto at_least_one = [](const CsvTable::Row& row, const char* column) {
    const auto value = static_cast<double>(row.integer(column));
    if (value < 1) throw row.error(column, "an integer of at least 1");
    return value;
  };
  for (const CsvTable::Row& row : csv.rows()) {
    const std::optional<double> error = row.optional_number("error");
    if (!error) continue;
    if (!(*error > -1 && *error < 1000)) throw row.error("error", "a number above -1, below 1000");
    if (std::find(machines.begin(), machines.end(), row.text("machine")) == machines.end()) {
      throw row.error("machine", listed(machines), nearest_name(row.text("machine"), machines));
    }
    const PublishedPolicy policy(row.text("policy"));
    const double processes = at_least_one(row, "processes");
    const double threads = at_least_one(row, "threads");
    const std::size_t cpus = cpus_of(row.text("machine"), row.text("placement"));
    rows_.push_back({.conditions = {.machine = row.text("machine"),
                                    .kernel = row.text("kernel"),
                                    .policy = policy.name,
                                    .hash = row.text("hash"),
                                    .is_shared = policy.is_shared,
                                    .on_one_node = row.text("placement").starts_with("node"),
                                    .shares_cpus = processes * threads > static_cast<double>(cpus),
                                    .processes = processes,
                                    .threads = threads,
                                    .buckets = at_least_one(row, "buckets")},
                     .table = row.text("table"),
                     .is_fitted = row.text("role") == "fitted",
                     .error = *error});
  }
}

std::optional<Envelope::Conditions> Envelope::conditions_of(const Point& point) {
  const nlohmann::json workload = point.parameters().workload.resolved();
  if (workload.at("name") != "futex-hash") return std::nullopt;
  const PolicyChoice& policy = point.parameters().policy;
  return Conditions{.machine = point.machine().name(),
                    .kernel = point.kernel().name,
                    .policy = policy.name(),
                    .hash = point.parameters().hash.name(),
                    .is_shared = workload.at("shared").get<bool>(),
                    .on_one_node = futexsim::on_one_node(point),
                    .shares_cpus = point.placement().cpus().size() < point.threads(),
                    .processes = workload.at("processes").get<double>(),
                    .threads = workload.at("threads").get<double>(),
                    .buckets = static_cast<double>(policy.make()->buckets().value())};
}

bool Envelope::same_protocol(const std::string& machine, const Point& point) const {
  const Document name("machine", machine);
  return catalogue_.machine(name.cursor())->parameters().protocol.name() ==
         point.machine().parameters().protocol.name();
}

/// That a published row could use.
std::size_t Envelope::cpus_of(const std::string& machine, const std::string& placement) const {
  const Document name("machine", machine);
  const Topology& topology = catalogue_.machine(name.cursor())->topology();
  const std::optional<NodeId> node = bound_node(placement);
  const bool is_bound = node && node->value < topology.nodes();
  return is_bound ? topology.cpus_of(*node).size() : topology.cpus();
}

/// In units that make a factor of four in the number of threads as bad as one node for several, and
/// nothing as bad as another policy: tables that count their users behave like no other.
double Envelope::distance(const Conditions& point, const Conditions& row, const Point& on) const {
  double out = 0;
  if (point.machine != row.machine) out += same_protocol(row.machine, on) ? 3 : 100;
  if (point.policy != row.policy) out += 4;
  if (point.is_shared != row.is_shared) out += 2;
  if (point.on_one_node != row.on_one_node) out += 1.5;
  if (point.shares_cpus != row.shares_cpus) out += 2;
  if (point.processes != row.processes) out += 1;
  if (point.kernel != row.kernel) out += 0.5;
  if (point.hash != row.hash) out += 0.25;
  return out + 0.5 * doublings(point.threads, row.threads) +
         0.5 * doublings(point.threads_per_bucket(), row.threads_per_bucket());
}

std::vector<std::string> Envelope::differences(const Conditions& point, const Conditions& row) {
  std::vector<std::string> out;
  const auto compare = [&](const char* what, const std::string& own, const std::string& other) {
    if (own != other) out.push_back(named(what, own, other));
  };
  const auto compare_sizes = [&](const char* what, double own, double other) {
    if (doublings(own, other) > 1) {
      out.push_back(named(what, short_number(own), short_number(other)));
    }
  };
  const auto kind = [](bool is_shared) { return is_shared ? "shared" : "private"; };
  const auto nodes = [](bool one) { return one ? "one node" : "several nodes"; };
  const auto cpus = [](bool shared) {
    return shared ? "fewer than threads" : "one for each thread";
  };
  compare("machine", point.machine, row.machine);
  compare("kernel", point.kernel, row.kernel);
  compare("policy", point.policy, row.policy);
  compare("hash", point.hash, row.hash);
  compare("futexes", kind(point.is_shared), kind(row.is_shared));
  compare("placement", nodes(point.on_one_node), nodes(row.on_one_node));
  compare("CPUs", cpus(point.shares_cpus), cpus(row.shares_cpus));
  compare("processes", short_number(point.processes), short_number(row.processes));
  compare_sizes("threads", point.threads, row.threads);
  compare_sizes("threads per bucket", point.threads_per_bucket(), row.threads_per_bucket());
  return out;
}

ModelError Envelope::at(const Point& point) const {
  ModelError out;
  const std::optional<Conditions> conditions = conditions_of(point);
  std::vector<std::pair<double, const Row*>> by_distance;
  if (conditions) {
    for (const Row& row : rows_) {
      const double far = distance(*conditions, row.conditions, point);
      if (far < 100) by_distance.emplace_back(far, &row);
    }
  }
  if (by_distance.empty()) {
    out.outside.push_back(conditions ? "machine " + conditions->machine
                                     : "workload " + point.parameters().workload.name());
    out.outside.back() += " (no published row)";
    return out;
  }
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const double limit = by_distance.front().first + neighbourhood;
  double squares = 0;
  double worst = 0;
  for (const auto& [far, row] : by_distance) {
    if (far > limit || out.rows == most_rows) break;
    ++out.rows;
    out.fitted += row->is_fitted;
    squares += std::pow(std::log1p(row->error), 2);
    worst = std::max(worst, std::abs(row->error));
    if (std::find(out.tables.begin(), out.tables.end(), row->table) == out.tables.end()) {
      out.tables.push_back(row->table);
    }
  }
  out.expected = std::sqrt(squares / static_cast<double>(out.rows));
  out.worst = worst;
  out.outside = differences(*conditions, by_distance.front().second->conditions);
  return out;
}

nlohmann::ordered_json with_model_error(nlohmann::ordered_json row, const ModelError& error) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? finite(*value) : nlohmann::ordered_json();
  };
  row["model_error"] = {{"expected", or_null(error.expected)},
                        {"worst", or_null(error.worst)},
                        {"rows", error.rows},
                        {"fitted", error.fitted},
                        {"tables", error.tables},
                        {"outside", error.outside}};
  return row;
}

std::string to_string(const ModelError& error) {
  std::string out = "no published row to judge the model by";
  if (error.expected) {
    out = "expected model error " + percent(*error.expected) + " (" + std::to_string(error.rows) +
          (error.rows == 1 ? " row of " : " rows of ") + joined(error.tables) + ", " +
          std::to_string(error.fitted) + " of them fitted)";
  }
  if (error.outside.empty()) return out;
  return out + "; outside the validated envelope: " + joined(error.outside);
}

}  // namespace futexsim
