#include "futexsim/experiment/published_table.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "futexsim/experiment/provenance.hpp"
#include "futexsim/parts/csv_table.hpp"
#include "futexsim/parts/document.hpp"
#include "futexsim/parts/nearest_name.hpp"

namespace futexsim {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

const std::vector<std::string> required_columns{"table",     "machine",
                                                "kernel",    "threads",
                                                "placement", "futexes_per_thread",
                                                "policy",    "hash",
                                                "buckets",   "ops_per_sec_per_thread"};

bool is_numeric(const std::string& column) {
  constexpr std::array<std::string_view, 7> numeric{
      "threads",   "futexes_per_thread",     "buckets",       "aligned",
      "processes", "ops_per_sec_per_thread", "plus_minus_pct"};
  return std::find(numeric.begin(), numeric.end(), column) != numeric.end();
}

std::int64_t count(const CsvTable::Row& row, const std::string& column) {
  const std::int64_t value = row.integer(column);
  if (value < 1) throw row.error(column, "an integer of at least 1");
  return value;
}

/// Of a column that a file may leave out, or a field that it may leave empty.
std::int64_t optional_count(const CsvTable& table, const CsvTable::Row& row,
                            const std::string& column, std::int64_t otherwise) {
  return table.has_column(column) && !row.empty(column) ? row.integer(column) : otherwise;
}

ordered_json own_columns(const CsvTable& table, const CsvTable::Row& row) {
  ordered_json out = ordered_json::object();
  for (const std::string& column : table.columns()) {
    const std::string& text = row.text(column);
    if (!is_numeric(column)) {
      out[column] = text;
    } else if (text.empty()) {
      out[column] = nullptr;
    } else if (text.find_first_of(".eE") == std::string::npos) {
      out[column] = row.integer(column);
    } else {
      out[column] = row.number(column);
    }
  }
  return out;
}

std::optional<double> published_value(const CsvTable::Row& row) {
  const std::optional<double> value = row.optional_number("ops_per_sec_per_thread");
  if (value && !(*value > 0)) throw row.error("ops_per_sec_per_thread", "a number above 0");
  return value;
}

/// "no machine "x" (did you mean "y"?)", or nothing when the name is known.
std::string unknown(const std::string& kind, const std::string& name,
                    const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  const std::string nearest = nearest_name(name, known);
  return "no " + kind + " " + in_quotes(name) +
         (nearest.empty() ? "" : " (nearest: " + in_quotes(nearest) + ")");
}

bool has_parameter(const std::string& policy, const std::string& parameter) {
  for (const ParameterInfo& info : PolicyChoice::Parts::instance().find(policy)->parameters()) {
    if (info.name == parameter) return true;
  }
  return false;
}

/// A message without the row's place, for a list in which the row stands beside it.
std::string without_place(std::string message, const CsvTable::Row& row) {
  const std::string place = to_string(row.location()) + ": ";
  return message.starts_with(place) ? message.substr(place.size()) : message;
}

/// Reads rows of one file.
class RowReader {
 public:
  RowReader(const CsvTable& table, const Catalogue& catalogue, const RowSettings& settings)
      : table_(table), catalogue_(catalogue), settings_(settings) {}

  PublishedRow read(const CsvTable::Row& row) const {
    PublishedRow out{.columns = own_columns(table_, row),
                     .ops_per_sec_per_thread = published_value(row),
                     .point = {},
                     .not_run = {}};
    const Document config = this->config(row);
    out.not_run = obstacle(row, config.cursor());
    if (!out.not_run.empty()) return out;
    try {
      out.point.emplace(config.cursor(), catalogue_);
    } catch (const InputError& error) {
      out.not_run = without_place(error.what(), row);
      return out;
    }
    const std::string& table = row.text("table");
    out.fitted =
        fitted_to(MachineParameters::declaration().write(out.point->machine().parameters()),
                  table) ||
        fitted_to(KernelParameters::declaration().write(out.point->kernel()), table);
    return out;
  }

 private:
  Document config(const CsvTable::Row& row) const {
    const PublishedPolicy published(row.text("policy"));
    json policy = {{"name", published.name}};
    const std::int64_t buckets = count(row, "buckets");
    if (PolicyChoice::Parts::instance().find(published.name) != nullptr &&
        has_parameter(published.name, "buckets")) {
      policy["buckets"] = buckets;
      policy["aligned"] = optional_count(table_, row, "aligned", 1) == 1;
    }
    json out = {{"machine", row.text("machine")},
                {"kernel", row.text("kernel")},
                {"policy", policy},
                {"hash", row.text("hash")},
                {"workload",
                 {{"name", "futex-hash"},
                  {"threads", count(row, "threads")},
                  {"processes", optional_count(table_, row, "processes", 1)},
                  {"shared", published.is_shared},
                  {"futexes_per_thread", count(row, "futexes_per_thread")},
                  {"placement", row.text("placement")}}}};
    if (settings_.seed) out["seed"] = *settings_.seed;
    if (settings_.precision) out["precision"] = *settings_.precision;
    return Document(to_string(row.location()), std::move(out));
  }

  /// Why the model can't run the row, as far as its names tell. A file of a machine or kernel that
  /// is there but wrong is no fault of the row: InputError.
  std::string obstacle(const CsvTable::Row& row, const Cursor& config) const {
    const std::string policy = PublishedPolicy(row.text("policy")).name;
    const auto check_name = [](const std::string& kind, const std::string& name,
                               const std::vector<std::string>& known) {
      if (!is_path(name)) return unknown(kind, name, known);
      std::error_code error;
      return std::filesystem::exists(name, error) ? "" : "no file " + in_quotes(name);
    };
    std::string reason = check_name("machine", row.text("machine"), catalogue_.machines());
    if (reason.empty()) reason = check_name("kernel", row.text("kernel"), catalogue_.kernels());
    if (reason.empty()) {
      reason = unknown("policy", policy, PolicyChoice::Parts::instance().names());
    }
    if (reason.empty()) {
      reason = unknown("hash function", row.text("hash"), HashChoice::Parts::instance().names());
    }
    if (!reason.empty()) return reason;
    catalogue_.machine(config.at("machine"));
    const auto& policies = catalogue_.kernel(config.at("kernel"))->policies;
    if (std::find(policies.begin(), policies.end(), policy) == policies.end()) {
      return "kernel " + in_quotes(row.text("kernel")) + " has no policy " + in_quotes(policy);
    }
    return {};
  }

  const CsvTable& table_;
  const Catalogue& catalogue_;
  const RowSettings& settings_;
};

void read_file(const std::string& path, const Catalogue& catalogue, const RowSettings& settings,
               std::vector<PublishedTable>& out) {
  const CsvTable csv = CsvTable::read(path);
  csv.require_columns(required_columns);
  const RowReader reader(csv, catalogue, settings);
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  for (const CsvTable::Row& row : csv.rows()) {
    const std::string& name = row.text("table");
    if (name.empty()) throw row.error("table", "the table's name");
    auto table = std::find_if(out.begin() + first, out.end(),
                              [&](const PublishedTable& known) { return known.name == name; });
    if (table == out.end()) table = out.insert(table, {.name = name, .file = path, .rows = {}});
    table->rows.push_back(reader.read(row));
  }
}

std::vector<std::string> csv_files(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".csv") files.push_back(entry->path().string());
  }
  if (error) throw IoError(path, "read", error.value());
  if (files.empty()) throw InputError({.source = path}, "no CSV file", "a folder with tables");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

PublishedPolicy::PublishedPolicy(const std::string& column) : name(column) {
  constexpr std::string_view suffix = "-shared-futex";
  is_shared = name.ends_with(suffix);
  if (is_shared) name.resize(name.size() - suffix.size());
}

bool PublishedTable::fitted() const {
  return std::any_of(rows.begin(), rows.end(), [](const PublishedRow& row) { return row.fitted; });
}

std::vector<PublishedTable> read_published(const std::string& path, const Catalogue& catalogue,
                                           const RowSettings& settings) {
  std::vector<PublishedTable> out;
  for (const std::string& file : csv_files(path)) read_file(file, catalogue, settings, out);
  return out;
}

}  // namespace futexsim
