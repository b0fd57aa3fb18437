#pragma once

#include <cmath>
#include <cstdint>

namespace futexsim {

/// Mean and variance of a sample in one pass (Welford, Technometrics 4 (1962) 3).
class RunningMoments {
 public:
  void add(double value) {
    ++count_;
    const double from_old_mean = value - mean_;
    mean_ += from_old_mean / static_cast<double>(count_);
    squares_ += from_old_mean * (value - mean_);
  }

  std::uint64_t count() const { return count_; }

  /// 0 for an empty sample.
  double mean() const { return mean_; }

  /// Unbiased sample variance (divisor n - 1); 0 below two values.
  double variance() const { return count_ < 2 ? 0 : squares_ / static_cast<double>(count_ - 1); }

  double standard_deviation() const { return std::sqrt(variance()); }

  /// Sum of squared deviations from the mean.
  double squared_deviations() const { return squares_; }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

}  // namespace futexsim
