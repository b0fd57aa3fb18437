#include "futexsim/experiment/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include "futexsim/experiment/least_squares.hpp"
#include "futexsim/experiment/point_runner.hpp"

namespace futexsim {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Vectors = LeastSquaresProblem::Vectors;

/// Of the logs of the numbers. Half a nanosecond of the hold window changes rates by less than a
/// run differs from the next; with steps of 3 % the Jacobian of the E5 is mostly noise.
constexpr double difference = 0.1;
/// Of a log: no number more than doubles in one iteration.
constexpr double largest_step = 0.7;

double rounded(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return std::strtod(text, nullptr);
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Operations per second and thread, by row and replication.
using Rates = std::vector<std::vector<double>>;

/// Simulates the rows for logs of the numbers.
class Simulator {
 public:
  Simulator(const Calibration& calibration, unsigned jobs, const CalibrationObserver& observer)
      : calibration_(calibration), jobs_(jobs), observer_(observer) {}

  std::vector<double> values(const VectorXd& logs) const {
    std::vector<double> out;
    for (Index k = 0; k < logs.size(); ++k) {
      const FreeNumber& number = calibration_.numbers()[static_cast<std::size_t>(k)];
      out.push_back(std::clamp(std::exp(logs[k]), number.least, number.greatest));
    }
    return out;
  }

  bool allows(const VectorXd& logs) const {
    try {
      calibration_.variant(values(logs));
      return true;
    } catch (const InputError&) {
      return false;
    }
  }

  /// For each of `logs`. Nothing when interrupted.
  std::optional<std::vector<Rates>> rates(const Vectors& logs, std::uint64_t seed) {
    std::vector<Point> points;
    for (const VectorXd& numbers : logs) {
      const auto machine = calibration_.variant(values(numbers));
      for (const CalibrationRow& row : calibration_.rows()) {
        points.push_back(row.point.on(machine).with_seed(seed));
      }
    }
    auto all = simulate(points);
    if (!all) return std::nullopt;
    done_ += points.size();
    std::vector<Rates> out;
    const auto rows = static_cast<std::ptrdiff_t>(calibration_.rows().size());
    for (auto first = all->begin(); first != all->end(); first += rows) {
      out.emplace_back(first, first + rows);
    }
    return out;
  }

  /// Log errors, each by the root of its row's weight.
  VectorXd residuals(const Rates& rates) const {
    VectorXd out(static_cast<Index>(rates.size()));
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const CalibrationRow& row = calibration_.rows()[i];
      out[static_cast<Index>(i)] =
          std::sqrt(row.weight) * std::log(mean_of(rates[i]) / row.published);
    }
    return out;
  }

 private:
  std::optional<Rates> simulate(std::span<const Point> points) {
    const auto progress = [&](std::size_t done) {
      if (observer_.progress) observer_.progress(done_ + done);
    };
    try {
      return run_replications(
          points, calibration_.recipe().replications, jobs_,
          {.finished = {}, .progress = progress, .interrupted = observer_.interrupted});
    } catch (const std::overflow_error& error) {
      throw InputError({.source = calibration_.machine_file()},
                       std::string("a machine on which ") + error.what(),
                       "one whose latencies are short enough for a run");
    }
  }

  const Calibration& calibration_;
  unsigned jobs_;
  const CalibrationObserver& observer_;
  std::size_t done_ = 0;
};

/// Of each replication (row) the part that isn't the mean's in the derivatives of log rate:
/// replications around share their randomness with those at the middle, so differences count.
Eigen::MatrixXd deviations(const std::vector<double>& middle, const std::vector<Rates>& around,
                           std::size_t row, const VectorXd& steps) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(static_cast<Index>(middle.size()), steps.size());
  const double mean = mean_of(middle);
  for (Index k = 0; k < steps.size(); ++k) {
    if (steps[k] == 0) continue;
    const std::vector<double>& moved = around[static_cast<std::size_t>(k)][row];
    const double moved_mean = mean_of(moved);
    for (std::size_t i = 0; i < middle.size(); ++i) {
      out(static_cast<Index>(i), k) = (moved[i] / moved_mean - middle[i] / mean) / steps[k];
    }
  }
  return out;
}

class Calibrator {
 public:
  Calibrator(const Calibration& calibration, unsigned jobs, const CalibrationObserver& observer)
      : calibration_(calibration), simulator_(calibration, jobs, observer) {
    const auto size = static_cast<Index>(calibration.numbers().size());
    start_ = problem_.lower = problem_.upper = VectorXd(size);
    for (Index k = 0; k < size; ++k) {
      const FreeNumber& number = calibration.numbers()[static_cast<std::size_t>(k)];
      start_[k] = std::log(number.start);
      problem_.lower[k] = std::log(number.least);
      problem_.upper[k] = std::log(number.greatest);
    }
    problem_.allowed = [this](const VectorXd& logs) { return simulator_.allows(logs); };
    problem_.residuals = [this](const Vectors& logs) { return residuals(logs); };
  }

  CalibrationResult run() {
    const LeastSquaresFit fit =
        minimize(problem_, start_,
                 {.difference = difference,
                  .most_iterations = static_cast<int>(calibration_.recipe().iterations),
                  .largest_step = largest_step});
    result_.iterations = fit.iterations;
    result_.converged = fit.converged;
    set_numbers(rounded_logs(fit.x));
    if (!fit.given_up) {
      result_.own_seed = {errors(first_, {}), errors(fit.residuals, {})};
      result_.interrupted = !judge(rounded_logs(fit.x));
    } else {
      result_.interrupted = true;
    }
    return std::move(result_);
  }

 private:
  std::optional<Vectors> residuals(const Vectors& logs) {
    const auto rates = simulator_.rates(logs, calibration_.recipe().seed);
    if (!rates) return std::nullopt;
    Vectors out;
    for (const Rates& of_one : *rates) out.push_back(simulator_.residuals(of_one));
    if (first_.size() == 0) first_ = out.front();
    return out;
  }

  /// What will stand in the file, where rounding keeps it possible.
  VectorXd rounded_logs(const VectorXd& logs) const {
    if (logs == start_) return logs;
    VectorXd out = logs;
    for (double& log : out) log = std::log(rounded(std::exp(log), 4));
    return problem_.contains(out) ? out : logs;
  }

  void set_numbers(const VectorXd& logs) {
    result_.numbers.clear();
    const std::vector<double> values = simulator_.values(logs);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const FreeNumber& number = calibration_.numbers()[k];
      const bool moved = logs[static_cast<Index>(k)] != start_[static_cast<Index>(k)];
      result_.numbers.push_back({.number = number,
                                 .value = moved ? rounded(values[k], 4) : number.start,
                                 .uncertainty = {},
                                 .shares = {}});
    }
  }

  /// Of all rows, or of one table's.
  ErrorSummary errors(const VectorXd& residuals, std::optional<std::size_t> table) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < calibration_.rows().size(); ++i) {
      const CalibrationRow& row = calibration_.rows()[i];
      if (table && row.table != *table) continue;
      out.push_back(std::expm1(residuals[static_cast<Index>(i)] / std::sqrt(row.weight)));
    }
    return summarize(out);
  }

  /// Start and end with fresh seeds, and how well the better one is known. False if interrupted.
  bool judge(const VectorXd& end) {
    result_.fresh_seed = calibration_.recipe().seed + 1;
    const auto pair = simulator_.rates({start_, end}, result_.fresh_seed);
    if (!pair) return false;
    const VectorXd before = simulator_.residuals(pair->front());
    const VectorXd after = simulator_.residuals(pair->back());
    result_.start_kept = !(after.squaredNorm() < before.squaredNorm());
    const VectorXd& kept = result_.start_kept ? start_ : end;
    set_numbers(kept);
    for (std::size_t table = 0; table < calibration_.tables().size(); ++table) {
      result_.tables.push_back({errors(before, table), errors(after, table)});
    }
    result_.all = {errors(before, {}), errors(after, {})};
    return weigh(kept, result_.start_kept ? pair->front() : pair->back());
  }

  bool weigh(const VectorXd& logs, const Rates& rates) {
    const ForwardDifferences differences(problem_, logs, difference);
    const auto around = simulator_.rates(differences.points, result_.fresh_seed);
    if (!around) return false;
    result_.statistics = fit_statistics(evidence(differences, rates, *around));
    for (std::size_t k = 0; k < result_.numbers.size(); ++k) {
      const auto index = static_cast<Index>(k);
      FittedNumber& number = result_.numbers[k];
      const double half_width = number.value * result_.statistics.half_widths[index];
      if (std::isfinite(half_width)) number.uncertainty = rounded(half_width, 2);
      number.identified = result_.statistics.identified[k];
      const auto shares = result_.statistics.shares.row(index);
      number.shares.assign(shares.begin(), shares.end());
    }
    return true;
  }

  FitEvidence evidence(const ForwardDifferences& differences, const Rates& rates,
                       const std::vector<Rates>& around) const {
    FitEvidence out;
    out.residuals = simulator_.residuals(rates);
    Vectors residuals_around;
    for (const Rates& of_one : around) residuals_around.push_back(simulator_.residuals(of_one));
    out.jacobian = differences.jacobian(out.residuals, residuals_around);
    out.noise = Eigen::MatrixXd::Zero(out.jacobian.cols(), out.jacobian.cols());
    out.blocks = calibration_.tables().size();
    const auto count = static_cast<double>(calibration_.recipe().replications);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const CalibrationRow& row = calibration_.rows()[i];
      out.block_of_row.push_back(row.table);
      const Eigen::MatrixXd apart = deviations(rates[i], around, i, differences.steps);
      out.noise += row.weight / (count * (count - 1)) * apart.transpose() * apart;
    }
    return out;
  }

  const Calibration& calibration_;
  Simulator simulator_;
  LeastSquaresProblem problem_;
  VectorXd start_;
  VectorXd first_;  ///< residuals at the start
  CalibrationResult result_;
};

}  // namespace

std::size_t most_points(const Calibration& calibration) {
  const std::size_t numbers = calibration.numbers().size();
  const std::size_t start_and_end = 2;
  return calibration.rows().size() *
         (1 + calibration.recipe().iterations * (numbers + 1) + start_and_end + numbers);
}

CalibrationResult calibrate(const Calibration& calibration, unsigned jobs,
                            const CalibrationObserver& observer) {
  return Calibrator(calibration, jobs, observer).run();
}

}  // namespace futexsim
