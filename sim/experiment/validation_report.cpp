#include "futexsim/experiment/validation_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "futexsim/experiment/result_row.hpp"
#include "futexsim/experiment/text_table.hpp"
#include "json_cell.hpp"

namespace futexsim {
namespace {

using nlohmann::ordered_json;

const char* role(const TableOutcome& table) {
  return table.table->fitted() ? "fitted" : "predicted";
}

/// The row's own columns and what is known of its simulation.
ordered_json row_json(const PublishedRow& published, const RowOutcome& row) {
  ordered_json out = published.columns;
  const auto or_null = [](const std::optional<double>& value) {
    return value ? finite(*value) : ordered_json();
  };
  out["published"] = or_null(published.ops_per_sec_per_thread);
  out["simulated"] = nullptr;
  out["error"] = or_null(row.error);
  out["half_width"] = nullptr;
  out["plus_minus_pct_simulated"] = nullptr;
  if (row.simulated) {
    out["simulated"] = row.simulated->ops_per_sec_per_thread;
    out["half_width"] = finite(row.simulated->relative_half_width());
    out["plus_minus_pct_simulated"] = finite(row.simulated->plus_minus_pct);
  }
  if (row.error_under_hypothesis) out["error_under_hypothesis"] = *row.error_under_hypothesis;
  if (!row.not_run.empty()) out["not_run"] = row.not_run;
  return out;
}

std::string cell_at(const ordered_json& row, const std::string& key) {
  const auto found = row.find(key);
  return found == row.end() ? std::string() : cell(*found);
}

std::string signed_percent(double fraction) {
  const std::string number = fixed(100 * fraction, 1);
  return fraction >= 0 ? '+' + number : number;
}

/// Names of machines or kernels, each once.
std::string distinct(const TableOutcome& table, const char* column) {
  std::vector<std::string> names;
  for (const PublishedRow& row : table.table->rows) {
    const std::string name = cell_at(row.columns, column);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

std::string summary_text(const ErrorSummary& errors, std::size_t rows) {
  const std::string of = std::to_string(errors.rows) + " of " + std::to_string(rows) + " rows";
  if (errors.rows == 0) return of + " compared";
  return "median error " + percent(errors.median) + ", 90th percentile " + percent(errors.p90) +
         ", worst " + percent(errors.max) + ", log rms " + percent(errors.log_rms) + " (" + of +
         ")";
}

std::string table_text(const TableOutcome& table, const std::string& hypothesis) {
  using enum TextTable::Align;
  std::vector<TextTable::Column> columns{{"policy", left},
                                         {"buckets", right},
                                         {"threads", right},
                                         {"placement", left},
                                         {"published ops/s per thread", right},
                                         {"simulated ops/s per thread", right},
                                         {"error %", right},
                                         {"±%", right},
                                         {"+- published", right},
                                         {"simulated", right}};
  if (!hypothesis.empty()) columns.push_back({"error % under " + hypothesis, right});
  columns.push_back({"", left});
  TextTable text(columns);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const PublishedRow& published = table.table->rows[i];
    const RowOutcome& row = table.rows[i];
    const auto& simulated = row.simulated;
    std::vector<std::string> cells{
        cell_at(published.columns, "policy"),
        cell_at(published.columns, "buckets"),
        cell_at(published.columns, "threads"),
        cell_at(published.columns, "placement"),
        published.ops_per_sec_per_thread ? grouped(*published.ops_per_sec_per_thread) : "-",
        simulated ? grouped(simulated->ops_per_sec_per_thread) : "-",
        row.error ? signed_percent(*row.error) : "-",
        simulated ? fixed(100 * simulated->relative_half_width(), 1) : "-",
        row.published_plus_minus_pct ? fixed(*row.published_plus_minus_pct, 2) : "-",
        simulated ? fixed(simulated->plus_minus_pct, 2) : "-"};
    if (!hypothesis.empty()) {
      cells.push_back(row.error_under_hypothesis ? signed_percent(*row.error_under_hypothesis)
                                                 : "-");
    }
    cells.push_back(row.not_run.empty() ? "" : "not run: " + row.not_run);
    text.add(cells);
  }
  std::string under;
  if (!hypothesis.empty()) {
    under = "under " + hypothesis + ": " +
            summary_text(table.errors_under_hypothesis(), table.rows.size()) + "\n";
  }
  return table.table->name + " (" + role(table) + "; " + distinct(table, "machine") + "; kernel " +
         distinct(table, "kernel") + ")\n" + text.text() +
         summary_text(table.errors(), table.rows.size()) + "\n" + under;
}

bool none_run(const TableOutcome& table) {
  return std::none_of(table.rows.begin(), table.rows.end(),
                      [](const RowOutcome& row) { return row.simulated.has_value(); });
}

/// "80core-2013: 24 rows not run: no machine "80core-2013"", with each reason once.
std::string not_run_text(const TableOutcome& table) {
  std::vector<std::string> reasons;
  for (const RowOutcome& row : table.rows) {
    if (std::find(reasons.begin(), reasons.end(), row.not_run) == reasons.end()) {
      reasons.push_back(row.not_run);
    }
  }
  std::string out = table.table->name + ": " + std::to_string(table.rows.size()) + " rows not run";
  for (const std::string& reason : reasons) {
    out += (reason == reasons.front() ? ": " : "; ") + reason;
  }
  return out + "\n";
}

/// The errors of all fitted tables, or of all predicted ones, whose rows run.
std::string overall_text(const Validation& validation, bool fitted) {
  std::vector<double> errors;
  std::size_t rows = 0;
  for (const TableOutcome& table : validation.tables) {
    if (table.table->fitted() != fitted || none_run(table)) continue;
    rows += table.rows.size();
    for (const RowOutcome& row : table.rows) {
      if (row.error) errors.push_back(*row.error);
    }
  }
  if (rows == 0) return {};
  return std::string(fitted ? "fitted" : "predicted") +
         " tables: " + summary_text(summarize(errors), rows) + "\n";
}

std::string plus_minus_text(const PlusMinusSummary& summary) {
  if (summary.rows == 0) return {};
  return "+-: within a factor of two of the published one in " +
         std::to_string(summary.within_factor_two) + " of " + std::to_string(summary.rows) +
         " rows; 0 in " + std::to_string(summary.lost_in_noise) +
         ", whose threads differ by no more than their noise\n";
}

}  // namespace

std::string validation_json(const Validation& validation) {
  ordered_json tables = ordered_json::array();
  for (const TableOutcome& table : validation.tables) {
    const ErrorSummary errors = table.errors();
    ordered_json rows = ordered_json::array();
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      rows.push_back(row_json(table.table->rows[i], table.rows[i]));
    }
    tables.push_back({{"table", table.table->name},
                      {"role", role(table)},
                      {"median_abs_error", finite(errors.median)},
                      {"p90_abs_error", finite(errors.p90)},
                      {"max_abs_error", finite(errors.max)},
                      {"log_rms", finite(errors.log_rms)},
                      {"rows", std::move(rows)}});
  }
  const PlusMinusSummary plus_minus = summarize_plus_minus(validation);
  return ordered_json{{"tables", std::move(tables)},
                      {"plus_minus",
                       {{"rows", plus_minus.rows},
                        {"within_factor_two", plus_minus.within_factor_two},
                        {"lost_in_noise", plus_minus.lost_in_noise}}}}
             .dump(2) +
         "\n";
}

std::string validation_csv(const Validation& validation) {
  std::vector<ordered_json> rows;
  for (const TableOutcome& table : validation.tables) {
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      ordered_json& row = rows.emplace_back(row_json(table.table->rows[i], table.rows[i]));
      if (!row.contains("not_run")) row["not_run"] = nullptr;
      row["role"] = role(table);
    }
  }
  return rows_csv(rows);
}

std::string validation_text(const Validation& validation) {
  std::string out;
  for (const TableOutcome& table : validation.tables) {
    if (!none_run(table)) out += table_text(table, validation.hypothesis) + "\n";
  }
  const std::string overall = overall_text(validation, true) + overall_text(validation, false);
  out += overall + plus_minus_text(summarize_plus_minus(validation));
  if (!overall.empty()) {
    out +=
        "±%: 95 % confidence half-width of the simulated value; +-: what perf prints after its "
        "average, the\nstandard error over threads in %\n";
  }
  std::string not_run;
  for (const TableOutcome& table : validation.tables) {
    if (none_run(table)) not_run += not_run_text(table);
  }
  if (!overall.empty() && !not_run.empty()) out += '\n';
  return out + not_run;
}

}  // namespace futexsim
