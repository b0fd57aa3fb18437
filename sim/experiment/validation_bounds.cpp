#include "futexsim/experiment/validation_bounds.hpp"

#include <algorithm>
#include <filesystem>

#include "futexsim/experiment/text_table.hpp"
#include "futexsim/parts/document.hpp"

namespace futexsim {
namespace {

bool counts(const PublishedRow& row, const ValidationBound& bound) {
  const auto& without = bound.without_policies;
  const std::string policy = row.columns.value("policy", "");
  return row.ops_per_sec_per_thread &&
         std::find(without.begin(), without.end(), policy) == without.end();
}

}  // namespace

const Declaration<ValidationBound>& ValidationBound::declaration() {
  using B = ValidationBound;
  static const auto declaration =
      Declaration<B>("bound", "absolute relative errors that a published table must not exceed")
          .required("median", &B::median, {.help = "of the rows, as a fraction", .min = 0})
          .required("worst", &B::worst, {.help = "of the rows, as a fraction", .min = 0})
          .required("reason", &B::reason, {.help = "why this much"})
          .optional("without_policies", &B::without_policies,
                    {.help = "rows with these policies don't count", .unique = true});
  return declaration;
}

ValidationBounds read_bounds(const std::string& path) {
  ValidationBounds out;
  const Cursor root = Document::read(path).cursor();
  for (const auto& [table, bound] : root.members()) {
    if (table != "$schema") out.emplace(table, ValidationBound::declaration().read(bound));
  }
  return out;
}

std::vector<std::string> broken_bounds(const TableOutcome& outcome, const ValidationBound& bound) {
  std::vector<std::string> out;
  const std::string& name = outcome.table->name;
  std::vector<double> errors;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < outcome.rows.size(); ++i) {
    if (!counts(outcome.table->rows[i], bound)) continue;
    if (outcome.rows[i].error) errors.push_back(*outcome.rows[i].error);
    if (!outcome.rows[i].error) ++missing;
  }
  if (missing != 0) {
    out.push_back(name + ": " + std::to_string(missing) + " rows that count were not run");
  }
  if (errors.empty()) return out;
  const ErrorSummary summary = summarize(errors);
  const auto compare = [&](const char* what, double found, double allowed) {
    if (found <= allowed) return;
    out.push_back(name + ": " + what + " error " + percent(found) + " exceeds its bound of " +
                  percent(allowed));
  };
  compare("median", summary.median, bound.median);
  compare("worst", summary.max, bound.worst);
  return out;
}

std::vector<std::optional<ValidationBound>> bounds_beside(std::span<const PublishedTable> tables) {
  std::vector<std::optional<ValidationBound>> out;
  std::map<std::string, ValidationBounds> by_file;
  for (const PublishedTable& table : tables) {
    const std::string path =
        (std::filesystem::path(table.file).parent_path() / "bounds.json").string();
    if (!by_file.contains(path)) {
      std::error_code error;
      const bool missing =
          std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found;
      by_file[path] = missing ? ValidationBounds() : read_bounds(path);
    }
    const auto bound = by_file[path].find(table.name);
    out.push_back(bound == by_file[path].end() ? std::nullopt : std::optional(bound->second));
  }
  return out;
}

std::vector<std::string> broken_bounds(const Validation& validation,
                                       std::span<const std::optional<ValidationBound>> bounds) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < validation.tables.size(); ++i) {
    if (!bounds[i]) continue;
    for (std::string& line : broken_bounds(validation.tables[i], *bounds[i])) {
      out.push_back(std::move(line));
    }
  }
  return out;
}

}  // namespace futexsim
