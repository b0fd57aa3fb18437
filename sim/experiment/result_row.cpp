#include "futexsim/experiment/result_row.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>

#include "futexsim/engine/trace_hash.hpp"
#include "futexsim/experiment/text_table.hpp"
#include "futexsim/experiment/version.hpp"
#include "futexsim/parts/csv_table.hpp"
#include "json_cell.hpp"

namespace futexsim {
namespace {

using nlohmann::ordered_json;

double nanoseconds_of(std::uint64_t picoseconds) {
  return static_cast<double>(picoseconds) / 1000;
}

ordered_json wait_json(const WaitHistogram& waits, bool histogram) {
  ordered_json out = {{"p50", nanoseconds_of(waits.p50())},
                      {"p99", nanoseconds_of(waits.p99())},
                      {"p999", nanoseconds_of(waits.p999())},
                      {"max", nanoseconds_of(waits.max())}};
  if (histogram) {
    ordered_json& bins = out["histogram"] = ordered_json::array();
    for (const auto& [longest, count] : waits.filled_bins()) {
      bins.push_back({nanoseconds_of(longest), count});
    }
  }
  return out;
}

ordered_json table_json(const TableReplacement& table) {
  return {{"buckets", table.buckets},
          {"replacements", table.replacements},
          {"replaced_at_ns",
           table.replacements == 0 ? ordered_json() : ordered_json(table.at_ns.mean())}};
}

/// "same node, other L3" as "same_node_other_l3".
std::string as_key(std::string_view name) {
  std::string out;
  for (const char letter : name) {
    const auto code = static_cast<unsigned char>(letter);
    if (std::isalnum(code) != 0) {
      out += static_cast<char>(std::tolower(code));
    } else if (!out.ends_with('_')) {
      out += '_';
    }
  }
  return out;
}

ordered_json explanation_json(const Explanation& e) {
  ordered_json transfers = ordered_json::object();
  for (std::size_t i = 0; i < distances; ++i) {
    if (e.transfers[i] == 0) continue;
    transfers[as_key(name_of(static_cast<Distance>(i)))] = {
        {"per_operation", e.transfers[i]},
        {"latency_ns", e.transfer_latency_ns[i] / e.transfers[i]}};
  }
  return {{"computing_ns", e.computing_ns},         {"line_ns", e.line_ns},
          {"line_queueing_ns", e.line_queueing_ns}, {"spinning_ns", e.spinning_ns},
          {"draining_ns", e.draining_ns},           {"transfers", std::move(transfers)}};
}

void flatten(const ordered_json& value, const std::string& name,
             std::vector<std::pair<std::string, std::string>>& out) {
  if (!value.is_object()) {
    out.emplace_back(name, cell(value));
    return;
  }
  for (const auto& [key, member] : value.items()) {
    std::string column = name;
    if (!name.empty()) column += '.';
    flatten(member, column += key, out);
  }
}

double number_at(const ordered_json& row, const std::string& pointer) {
  const ordered_json& value = row.at(ordered_json::json_pointer(pointer));
  return value.is_number() ? value.get<double>() : std::nan("");
}

/// Names of the leaves that aren't the same in all configs.
std::vector<std::string> varying(const std::vector<std::map<std::string, std::string>>& configs) {
  std::vector<std::string> out;
  for (const auto& config : configs) {
    for (const auto& leaf : config) {
      const bool same = std::all_of(configs.begin(), configs.end(), [&](const auto& other) {
        const auto found = other.find(leaf.first);
        return found != other.end() && found->second == leaf.second;
      });
      if (!same && std::find(out.begin(), out.end(), leaf.first) == out.end()) {
        out.push_back(leaf.first);
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

constexpr std::array<const char*, 6> main_columns{"±%",          "model ±%", "perf +-%",
                                                  "wait p50 ns", "p99 ns",   "max ns"};

/// The key of what a row's workload measures: it stands before its half-width.
std::string measure_of(const ordered_json& row) {
  std::string before;
  for (const auto& [key, value] : row.items()) {
    if (key == "half_width") break;
    before = key;
  }
  return before;
}

/// A measure for people: "ops/s per thread", "wakeup ms".
std::string title_of(std::string measure) {
  if (measure == Measure().name) return "ops/s per thread";
  std::replace(measure.begin(), measure.end(), '_', ' ');
  return measure;
}

/// What the rows measure, each once.
std::vector<std::string> measures_of(const std::vector<ordered_json>& rows) {
  std::vector<std::string> out;
  for (const ordered_json& row : rows) {
    const std::string measure = measure_of(row);
    if (std::find(out.begin(), out.end(), measure) == out.end()) out.push_back(measure);
  }
  return out;
}

/// What people must know of estimates, if there are any.
std::string note_on_estimates(const std::vector<ordered_json>& rows) {
  const double worst =
      std::accumulate(rows.begin(), rows.end(), 0.0, [](double largest, const ordered_json& row) {
        const ordered_json::json_pointer error("/estimate/error_against_simulation/worst");
        return row.contains(error) ? std::max(largest, row.at(error).get<double>()) : largest;
      });
  if (worst == 0) return "";
  return "\nEstimates, not simulated: means only, measured up to " + percent(worst) +
         " from the simulation.\n";
}

/// How to read "model ±%", and which rows the published ones say nothing about.
std::string note_on_models(const std::vector<ordered_json>& rows) {
  std::map<std::string, std::size_t> outside;
  bool known = false;
  for (const ordered_json& row : rows) {
    if (!row.contains("model_error")) continue;
    known = true;
    for (const ordered_json& difference : row.at("model_error").at("outside")) {
      ++outside[difference.get<std::string>()];
    }
  }
  if (!known) return "";
  std::string out =
      "\nmodel ±%: how far the model is from the published rows most like this; ±%: sampling "
      "alone\n";
  for (const auto& [difference, count] : outside) {
    out += "outside the validated envelope: " + difference;
    if (rows.size() > 1) out += ", " + std::to_string(count) + " of the points";
    out += '\n';
  }
  return out;
}

std::string explanation_text(const ordered_json& e) {
  using enum TextTable::Align;
  const auto nanoseconds = [&](const char* key) { return fixed(e.at(key).get<double>(), 1); };
  TextTable time({{"time of an operation", left}, {"ns", right}});
  time.add({"computing, hits in the own cache included", nanoseconds("computing_ns")});
  time.add({"waiting for a cache line", nanoseconds("line_ns")});
  time.add({"  of it behind other requests", nanoseconds("line_queueing_ns")});
  time.add({"spinning on an unchanged copy", nanoseconds("spinning_ns")});
  time.add({"draining the store buffer", nanoseconds("draining_ns")});
  TextTable transfers(
      {{"cache lines that moved", left}, {"per operation", right}, {"ns each", right}});
  for (const auto& [distance, transfer] : e.at("transfers").items()) {
    std::string name = distance;
    std::replace(name.begin(), name.end(), '_', ' ');
    transfers.add({name, fixed(transfer.at("per_operation").get<double>(), 3),
                   fixed(transfer.at("latency_ns").get<double>(), 1)});
  }
  return '\n' + time.text() + '\n' + transfers.text();
}

}  // namespace

ordered_json result_row(const Point& point, const PointResult& result, bool explain,
                        bool histogram) {
  const Measure measure = point.workload().measure();
  ordered_json row = {{"config", ordered_json(point.resolved())},
                      {"seed", point.parameters().seed},
                      {"version", version()},
                      {"method", "simulation"},
                      {"trace_hash", to_hex(result.trace_hash)},
                      {measure.name, finite(result.measured.mean)},
                      {"half_width", finite(result.measured.half_width)},
                      {"precise", result.precise},
                      {"plus_minus_pct", finite(result.plus_minus_pct)}};
  if (!measure.is_steady) row["runs"] = result.replications;
  row["events"] = result.events;
  if (measure.is_steady) row["operations"] = result.operations;
  row["simulated_ns"] = result.simulated_ns;
  row["wait_ns"] = wait_json(result.waits, histogram);
  const std::vector<Placement::ProcessGroup>& groups = point.placement().groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const WaitHistogram& waits = result.group_waits[i];
    ordered_json& of_group = row["wait_ns_by_group"][groups[i].name];
    of_group = {{"count", waits.count()}};
    if (waits.count() > 0) of_group.update(wait_json(waits, histogram));
  }
  if (result.table) row["table"] = table_json(*result.table);
  if (explain && measure.is_steady) row["explanation"] = explanation_json(result.explanation);
  return row;
}

std::vector<std::pair<std::string, std::string>> flattened(const ordered_json& row) {
  std::vector<std::pair<std::string, std::string>> out;
  flatten(row, "", out);
  return out;
}

std::string rows_csv(const std::vector<ordered_json>& rows) {
  std::vector<std::string> columns;
  std::vector<std::map<std::string, std::string>> cells;
  for (const ordered_json& row : rows) {
    auto& of_row = cells.emplace_back();
    for (auto& [column, value] : flattened(row)) {
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
        columns.push_back(column);
      }
      of_row.emplace(column, std::move(value));
    }
  }
  std::string out;
  const auto add_line = [&](const auto& field_of) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i != 0) out += ',';
      out += csv_field(field_of(columns[i]));
    }
    out += '\n';
  };
  add_line([](const std::string& column) { return column; });
  for (auto& of_row : cells) {
    add_line([&](const std::string& column) { return of_row[column]; });
  }
  return out;
}

std::string rows_text(const std::vector<ordered_json>& rows) {
  std::vector<std::map<std::string, std::string>> configs;
  for (const ordered_json& row : rows) {
    std::vector<std::pair<std::string, std::string>> leaves;
    flatten(row.at("config"), "", leaves);
    configs.emplace_back(leaves.begin(), leaves.end());
  }
  using enum TextTable::Align;
  const std::vector<std::string> swept = varying(configs);
  std::vector<TextTable::Column> columns;
  const std::vector<std::string> measures = measures_of(rows);
  columns.reserve(swept.size() + measures.size() + main_columns.size());
  for (const std::string& name : swept) columns.push_back({name, right});
  for (const std::string& measure : measures) columns.push_back({title_of(measure), right});
  for (const char* title : main_columns) {
    columns.push_back({title, right});
  }
  TextTable table(columns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> cells;
    cells.reserve(columns.size());
    for (const std::string& name : swept) cells.push_back(configs[i][name]);
    const std::string own = measure_of(rows[i]);
    const double value = number_at(rows[i], "/" + own);
    for (const std::string& measure : measures) {
      const bool is_rate = measure == Measure().name;
      cells.push_back(measure != own ? "" : is_rate ? grouped(value) : fixed(value, 4));
    }
    cells.push_back(fixed(100 * number_at(rows[i], "/half_width") / value, 1));
    const ordered_json::json_pointer model("/model_error/expected");
    const bool has_model = rows[i].contains(model);
    cells.push_back(has_model ? fixed(100 * number_at(rows[i], "/model_error/expected"), 0) : "-");
    cells.push_back(fixed(number_at(rows[i], "/plus_minus_pct"), 2));
    for (const char* wait : {"/wait_ns/p50", "/wait_ns/p99", "/wait_ns/max"}) {
      cells.push_back(grouped(number_at(rows[i], wait)));
    }
    table.add(std::move(cells));
  }
  return table.text() + note_on_estimates(rows) + note_on_models(rows);
}

std::string row_text(const ordered_json& row) {
  using enum TextTable::Align;
  std::vector<std::pair<std::string, std::string>> config;
  flatten(row.at("config"), "", config);
  TextTable table({{"config", left}, {"", left}});
  for (const auto& [name, value] : config) table.add({name, value});
  const std::string explanation =
      row.contains("explanation") ? explanation_text(row.at("explanation")) : "";
  return table.text() + '\n' + rows_text({row}) + explanation;
}

}  // namespace futexsim
