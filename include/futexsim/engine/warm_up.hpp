#pragma once

#include <cstddef>
#include <span>

#include "futexsim/engine/running_moments.hpp"

namespace futexsim {

/// Where the initial transient of a series ends.
struct WarmUp {
  std::size_t truncation = 0;  ///< values to drop at the front; at most half of the series
  bool capped = false;         ///< no steady half was seen: the run is too short to judge
};

/// MSER-5 (White, Cobb, Spratt, Winter Simulation Conference 2000): of the means of batches of 5
/// values, drops as many as minimises the squared standard error of the mean of the rest; of equal
/// minima the shortest. Looks at the first half only, as the statistic is erratic over a short
/// rest. `capped` if the best truncation is that half, or if there are fewer than 10 batches (then
/// nothing is dropped). Values past the last whole batch are ignored. O(n).
inline WarmUp mser5(std::span<const double> series) {
  constexpr std::size_t kBatch = 5;
  constexpr std::size_t kFewestBatches = 10;
  const std::size_t batches = series.size() / kBatch;
  if (batches < kFewestBatches) return {.truncation = 0, .capped = true};
  const std::size_t most_dropped = batches / 2;

  std::size_t best = most_dropped;
  double best_error = 0;
  RunningMoments rest;
  for (std::size_t dropped = batches; dropped-- > 0;) {
    double sum = 0;
    for (const double value : series.subspan(dropped * kBatch, kBatch)) sum += value;
    rest.add(sum / static_cast<double>(kBatch));
    if (dropped > most_dropped) continue;
    const auto kept = static_cast<double>(rest.count());
    const double error = rest.squared_deviations() / (kept * kept);
    if (dropped == most_dropped || error <= best_error) {
      best = dropped;
      best_error = error;
    }
  }
  return {.truncation = best * kBatch, .capped = best == most_dropped};
}

}  // namespace futexsim
