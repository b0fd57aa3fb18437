#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "futexsim/engine/running_moments.hpp"
#include "futexsim/engine/student_t.hpp"

namespace futexsim {

/// mean +- half_width, in the unit of the sample. The half-width is infinite where the sample is
/// too small to have one.
struct ConfidenceInterval {
  double mean = 0;
  double half_width = std::numeric_limits<double>::infinity();

  double low() const { return mean - half_width; }
  double high() const { return mean + half_width; }
  bool contains(double value) const { return low() <= value && value <= high(); }

  /// Half-width as a fraction of |mean|; infinite if the mean is 0 and the half-width is not.
  double relative() const {
    if (half_width == 0) return 0;
    return mean == 0 ? std::numeric_limits<double>::infinity()
                     : half_width / (mean < 0 ? -mean : mean);
  }
};

/// Interval for the expectation of independent, roughly normal values, such as the means of
/// replications.
inline ConfidenceInterval confidence_interval(const RunningMoments& moments,
                                              double confidence = 0.95) {
  ConfidenceInterval interval{.mean = moments.mean()};
  if (moments.count() < 2) return interval;
  const double standard_error =
      std::sqrt(moments.variance() / static_cast<double>(moments.count()));
  interval.half_width = student_t_quantile(confidence, moments.count() - 1) * standard_error;
  return interval;
}

/// Interval for the mean of one stationary, autocorrelated series by non-overlapping batch means.
/// A batch must be much longer than the correlation (10 to 30 batches serve, Schmeiser 1982), else
/// the interval is too narrow. Values that fill no batch are dropped at the front, next to the
/// warm-up.
inline ConfidenceInterval batch_means(std::span<const double> series, std::size_t batches,
                                      double confidence = 0.95) {
  if (batches == 0 || series.size() < batches) return {};
  const std::size_t batch_size = series.size() / batches;
  series = series.last(batch_size * batches);
  RunningMoments means;
  for (; !series.empty(); series = series.subspan(batch_size)) {
    double sum = 0;
    for (const double value : series.first(batch_size)) sum += value;
    means.add(sum / static_cast<double>(batch_size));
  }
  return confidence_interval(means, confidence);
}

}  // namespace futexsim
