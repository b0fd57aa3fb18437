#pragma once

#include <cstdint>
#include <vector>

#include "futexsim/experiment/point.hpp"

namespace futexsim {

/// One simulation of a point: a heap, keys and starting places of its own.
struct Replication {
  double ops_per_sec_per_thread = 0;  ///< after warm-up
  /// Covariance over threads of the relative rates in the two halves after warm-up: the variance
  /// that lasts, without the noise of a short run.
  double lasting_variance = 0;
  std::uint64_t trace_hash = 0;
  std::uint64_t events = 0;
  std::uint64_t operations = 0;
  Picoseconds simulated;
  WaitHistogram waits;
  Explanation explanation;
  std::vector<ThreadResult> threads;
};

/// Deterministic in (point, index).
Replication replicate(const Point& point, std::uint64_t index);

}  // namespace futexsim
