#include "futexsim/experiment/calibration_report.hpp"

#include <cmath>

#include "futexsim/experiment/machine_file.hpp"
#include "futexsim/experiment/text_table.hpp"
#include "futexsim/experiment/version.hpp"
#include "json_cell.hpp"

namespace futexsim {
namespace {

using nlohmann::ordered_json;
using enum TextTable::Align;

constexpr double nearly_degenerate = 0.95;

std::string significant(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

double correlation(const CalibrationResult& result, std::size_t a, std::size_t b) {
  return result.statistics.correlation(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
}

std::size_t rows_of(const Calibration& calibration, std::size_t table) {
  std::size_t rows = 0;
  for (const CalibrationRow& row : calibration.rows()) rows += row.table == table ? 1 : 0;
  return rows;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

ordered_json errors_json(const ErrorSummary& errors) {
  return {{"median_abs_error", finite(errors.median)},
          {"max_abs_error", finite(errors.max)},
          {"log_rms", finite(errors.log_rms)}};
}

ordered_json errors_json(const FitErrors& errors) {
  return {{"before", errors_json(errors.before)}, {"after", errors_json(errors.after)}};
}

std::string numbers_text(const Calibration& calibration, const CalibrationResult& result) {
  std::vector<TextTable::Column> columns{
      {"number", left}, {"start", right}, {"value", right}, {"±", right}, {"unit", left}};
  for (const std::string& table : calibration.tables()) columns.push_back({table, right});
  TextTable text(columns);
  for (const FittedNumber& number : result.numbers) {
    std::vector<std::string> cells{
        number.number.pointer, significant(number.number.start, 4), significant(number.value, 4),
        number.uncertainty ? significant(*number.uncertainty, 2) : "-", number.number.unit};
    for (const double share : number.shares) {
      cells.push_back(number.identified ? fixed(100 * share, 0) + " %" : "-");
    }
    text.add(cells);
  }
  return text.text();
}

std::string errors_text(const Calibration& calibration, const CalibrationResult& result) {
  TextTable text({{"table", left},
                  {"rows", right},
                  {"median before", right},
                  {"after", right},
                  {"worst before", right},
                  {"after", right},
                  {"log rms before", right},
                  {"after", right}});
  const auto add = [&](const std::string& name, std::size_t rows, const FitErrors& errors) {
    text.add({name, std::to_string(rows), percent(errors.before.median),
              percent(errors.after.median), percent(errors.before.max), percent(errors.after.max),
              percent(errors.before.log_rms), percent(errors.after.log_rms)});
  };
  for (std::size_t i = 0; i < result.tables.size(); ++i) {
    add(calibration.tables()[i], rows_of(calibration, i), result.tables[i]);
  }
  add("all", calibration.rows().size(), result.all);
  add("all, seed of the fit", calibration.rows().size(), result.own_seed);
  return text.text();
}

std::string correlation_text(const CalibrationResult& result) {
  std::vector<TextTable::Column> columns{{"correlation", left}};
  for (std::size_t k = 0; k < result.numbers.size(); ++k) {
    columns.push_back({"(" + std::to_string(k + 1) + ")", right});
  }
  TextTable text(columns);
  for (std::size_t a = 0; a < result.numbers.size(); ++a) {
    std::vector<std::string> cells{"(" + std::to_string(a + 1) + ") " +
                                   result.numbers[a].number.pointer};
    for (std::size_t b = 0; b < result.numbers.size(); ++b) {
      cells.push_back(b <= a ? fixed(correlation(result, a, b), 2) : "");
    }
    text.add(cells);
  }
  return text.text();
}

std::string singular_values_text(const CalibrationResult& result) {
  const Eigen::VectorXd& values = result.statistics.singular_values;
  std::string out = "singular values of the Jacobian:";
  for (const double value : values) out += ' ' + significant(value, 3);
  return out + "; condition number " + significant(values[0] / values[values.size() - 1], 3) + "\n";
}

}  // namespace

std::vector<std::string> calibration_warnings(const CalibrationResult& result) {
  std::vector<std::string> out;
  if (!result.converged) {
    out.push_back("not converged after " + std::to_string(result.iterations) + " iterations");
  }
  if (result.start_kept) out.push_back("with fresh seeds nothing was better than the start");
  for (const FittedNumber& number : result.numbers) {
    if (number.at_bound()) out.push_back(number.number.pointer + " is at its bound");
    if (!number.identified) {
      out.push_back(
          number.number.pointer +
          ": no table identifies it; what only it does is lost in the simulation's noise");
    }
  }
  for (std::size_t a = 0; a < result.numbers.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (std::abs(correlation(result, a, b)) <= nearly_degenerate) continue;
      out.push_back(result.numbers[b].number.pointer + " and " + result.numbers[a].number.pointer +
                    " are nearly degenerate: correlation " + fixed(correlation(result, a, b), 3));
    }
  }
  return out;
}

std::string calibration_json(const Calibration& calibration, const CalibrationResult& result) {
  ordered_json tables = ordered_json::array();
  for (std::size_t i = 0; i < result.tables.size(); ++i) {
    ordered_json table{{"table", calibration.tables()[i]}, {"rows", rows_of(calibration, i)}};
    table.update(errors_json(result.tables[i]));
    tables.push_back(std::move(table));
  }
  ordered_json numbers = ordered_json::array();
  for (const FittedNumber& number : result.numbers) {
    ordered_json shares = ordered_json::object();
    for (std::size_t i = 0; i < number.shares.size(); ++i) {
      shares[calibration.tables()[i]] = finite(number.shares[i]);
    }
    numbers.push_back({{"pointer", number.number.pointer},
                       {"unit", number.number.unit},
                       {"start", number.number.start},
                       {"value", number.value},
                       {"uncertainty", finite(number.uncertainty.value_or(INFINITY))},
                       {"identified", number.identified},
                       {"at_bound", number.at_bound()},
                       {"shares", std::move(shares)}});
  }
  ordered_json matrix = ordered_json::array();
  for (std::size_t a = 0; a < result.numbers.size(); ++a) {
    ordered_json row = ordered_json::array();
    for (std::size_t b = 0; b < result.numbers.size(); ++b) {
      row.push_back(finite(correlation(result, a, b)));
    }
    matrix.push_back(std::move(row));
  }
  const auto& singular = result.statistics.singular_values;
  return ordered_json{{"machine", calibration.machine().name()},
                      {"numbers", std::move(numbers)},
                      {"tables", std::move(tables)},
                      {"all", errors_json(result.all)},
                      {"all_seed_of_fit", errors_json(result.own_seed)},
                      {"correlation", std::move(matrix)},
                      {"singular_values", std::vector<double>(singular.begin(), singular.end())},
                      {"warnings", calibration_warnings(result)},
                      {"iterations", result.iterations},
                      {"converged", result.converged},
                      {"start_kept", result.start_kept},
                      {"replications", calibration.recipe().replications},
                      {"seed", calibration.recipe().seed},
                      {"fresh_seed", result.fresh_seed},
                      {"version", version()}}
             .dump(2) +
         "\n";
}

std::string calibration_text(const Calibration& calibration, const CalibrationResult& result) {
  std::string out =
      calibration.machine().name() + ": " + std::to_string(result.numbers.size()) + " numbers, " +
      std::to_string(calibration.rows().size()) + " rows of " + joined(calibration.tables()) +
      ", " + std::to_string(calibration.recipe().replications) + " replications each; " +
      (result.converged ? "converged" : "stopped") + " after " + std::to_string(result.iterations) +
      " iterations\n\n" + numbers_text(calibration, result) +
      "±: 95 %. Below a table: its part in what only this number does\n\n" +
      errors_text(calibration, result) + "\n" + correlation_text(result) + "\n" +
      singular_values_text(result);
  for (const std::string& warning : calibration_warnings(result))
    out += "warning: " + warning + "\n";
  return out;
}

std::string calibrated_machine(const Calibration& calibration, const CalibrationResult& result) {
  std::vector<NewNumber> numbers;
  for (const FittedNumber& number : result.numbers) {
    numbers.push_back({number.number.pointer, number.value, number.uncertainty});
  }
  return with_fitted_numbers(calibration.machine_text(), numbers, calibration.tables());
}

}  // namespace futexsim
