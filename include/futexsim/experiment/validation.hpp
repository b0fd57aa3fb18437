#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "futexsim/experiment/point_runner.hpp"
#include "futexsim/experiment/published_table.hpp"

namespace futexsim {

/// Of the absolute relative errors of rows. Quantiles interpolate linearly between order
/// statistics. NaN for no rows.
struct ErrorSummary {
  std::size_t rows = 0;
  double median;
  double p90;
  double max;
  double log_rms;  ///< root mean square of ln(simulated / published)
};

/// The second observable: the standard error over threads, in per cent, that perf prints after its
/// average, where a row states it and is simulated.
struct PlusMinusSummary {
  std::size_t rows = 0;
  std::size_t within_factor_two = 0;
  std::size_t lost_in_noise = 0;  ///< simulated as 0: threads differ by no more than their noise
};

struct RowOutcome {
  struct Simulated {
    double ops_per_sec_per_thread;
    double half_width;  ///< 95 %, in operations per second
    double plus_minus_pct;
    double relative_half_width() const { return half_width / ops_per_sec_per_thread; }
  };
  std::optional<Simulated> simulated;
  std::optional<double> published_plus_minus_pct;
  std::optional<double> error;  ///< simulated / published - 1
  std::string not_run;          ///< why it wasn't simulated
  std::optional<double> error_under_hypothesis;
};

struct TableOutcome {
  const PublishedTable* table;
  std::vector<RowOutcome> rows;  ///< as in the table

  ErrorSummary errors() const;
  ErrorSummary errors_under_hypothesis() const;
};

struct Validation {
  std::vector<TableOutcome> tables;
  std::string hypothesis = {};  ///< that errors are compared with; empty: none
  bool interrupted = false;
};

/// Simulates every row that has a point; equal points only once. The observer's indices count
/// different points. The result refers to `tables`.
Validation validate(std::span<const PublishedTable> tables, unsigned jobs,
                    PointRunObserver observer);

/// Puts the errors of the same rows under a hypothesis beside those of `validation`.
void compare_with(Validation& validation, const std::string& hypothesis, const Validation& under);

/// How many points validate() simulates.
std::size_t different_points(std::span<const PublishedTable> tables);

ErrorSummary summarize(std::span<const double> errors);
PlusMinusSummary summarize_plus_minus(const Validation& validation);

}  // namespace futexsim
