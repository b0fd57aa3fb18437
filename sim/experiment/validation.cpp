#include "futexsim/experiment/validation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace futexsim {
namespace {

/// Rows of all tables, each with the place of its point among the different ones.
struct Work {
  std::vector<Point> points;
  std::vector<std::vector<std::optional<std::size_t>>> point_of_row;  ///< by table, row

  explicit Work(std::span<const PublishedTable> tables) {
    std::unordered_map<std::string, std::size_t> known;
    for (const PublishedTable& table : tables) {
      auto& of_row = point_of_row.emplace_back();
      for (const PublishedRow& row : table.rows) {
        of_row.emplace_back();
        if (!row.point) continue;
        const auto [entry, is_new] = known.emplace(row.point->resolved().dump(), points.size());
        if (is_new) points.push_back(*row.point);
        of_row.back() = entry->second;
      }
    }
  }
};

double quantile(const std::vector<double>& sorted, double probability) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double rank = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = rank - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

RowOutcome outcome_of(const PublishedRow& row, const std::optional<RowOutcome::Simulated>& run) {
  RowOutcome out{.simulated = run,
                 .published_plus_minus_pct = {},
                 .error = {},
                 .not_run = row.not_run,
                 .error_under_hypothesis = {}};
  const auto plus_minus = row.columns.find("plus_minus_pct");
  if (plus_minus != row.columns.end() && plus_minus->is_number()) {
    out.published_plus_minus_pct = plus_minus->get<double>();
  }
  if (!run && out.not_run.empty()) out.not_run = "interrupted";
  if (run && row.ops_per_sec_per_thread) {
    out.error = run->ops_per_sec_per_thread / *row.ops_per_sec_per_thread - 1;
  }
  return out;
}

}  // namespace

ErrorSummary summarize(std::span<const double> errors) {
  std::vector<double> sorted;
  double squares = 0;
  for (const double error : errors) {
    sorted.push_back(std::abs(error));
    const double log_ratio = std::log1p(error);
    squares += log_ratio * log_ratio;
  }
  std::sort(sorted.begin(), sorted.end());
  return {.rows = sorted.size(),
          .median = quantile(sorted, 0.5),
          .p90 = quantile(sorted, 0.9),
          .max = quantile(sorted, 1),
          .log_rms = std::sqrt(squares / static_cast<double>(sorted.size()))};
}

PlusMinusSummary summarize_plus_minus(const Validation& validation) {
  PlusMinusSummary out;
  for (const TableOutcome& table : validation.tables) {
    for (const RowOutcome& row : table.rows) {
      if (!row.simulated || !row.published_plus_minus_pct) continue;
      const double simulated = row.simulated->plus_minus_pct;
      const double published = *row.published_plus_minus_pct;
      ++out.rows;
      if (simulated == 0) ++out.lost_in_noise;
      if (simulated >= published / 2 && simulated <= published * 2) ++out.within_factor_two;
    }
  }
  return out;
}

namespace {

ErrorSummary summary_of(const std::vector<RowOutcome>& rows,
                        std::optional<double> RowOutcome::*error) {
  std::vector<double> all;
  for (const RowOutcome& row : rows) {
    if (row.*error) all.push_back(*(row.*error));
  }
  return summarize(all);
}

}  // namespace

ErrorSummary TableOutcome::errors() const {
  return summary_of(rows, &RowOutcome::error);
}
ErrorSummary TableOutcome::errors_under_hypothesis() const {
  return summary_of(rows, &RowOutcome::error_under_hypothesis);
}

void compare_with(Validation& validation, const std::string& hypothesis, const Validation& under) {
  validation.hypothesis = hypothesis;
  for (std::size_t t = 0; t < validation.tables.size(); ++t) {
    for (std::size_t r = 0; r < validation.tables[t].rows.size(); ++r) {
      validation.tables[t].rows[r].error_under_hypothesis = under.tables[t].rows[r].error;
    }
  }
}

std::size_t different_points(std::span<const PublishedTable> tables) {
  return Work(tables).points.size();
}

Validation validate(std::span<const PublishedTable> tables, unsigned jobs,
                    PointRunObserver observer) {
  const Work work(tables);
  std::vector<std::optional<RowOutcome::Simulated>> runs(work.points.size());
  observer.finished = [&, also = observer.finished](std::size_t index, const PointResult& result) {
    runs[index] = {.ops_per_sec_per_thread = result.measured.mean,
                   .half_width = result.measured.half_width,
                   .plus_minus_pct = result.plus_minus_pct};
    if (also) also(index, result);
  };
  Validation out;
  out.interrupted = !run_points(work.points, jobs, observer);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    TableOutcome& table = out.tables.emplace_back(TableOutcome{&tables[t], {}});
    for (std::size_t r = 0; r < tables[t].rows.size(); ++r) {
      const std::optional<std::size_t> point = work.point_of_row[t][r];
      table.rows.push_back(outcome_of(tables[t].rows[r], point ? runs[*point] : std::nullopt));
    }
  }
  return out;
}

}  // namespace futexsim
