#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "futexsim/experiment/point.hpp"

namespace futexsim {

/// One simulation of a point: a heap, keys and starting places of its own.
///
/// Of a steady workload it warms up twice. Rates begin where MSER-5 says that the batches' rates
/// have settled, which is known only afterwards; costs and waits begin after a fifth of the
/// operations that every replication makes at least.
struct Replication {
  double measured = 0;          ///< what the workload measures; operations per second after MSER-5
  std::vector<double> samples;  ///< of which it is the mean, of a workload that ends
  /// Covariance over threads of the relative rates in the two halves after MSER-5: the variance
  /// that lasts, without the noise of a short run.
  double lasting_variance = 0;
  std::uint64_t trace_hash = 0;
  std::uint64_t events = 0;
  std::uint64_t operations = 0;
  Picoseconds simulated;
  WaitHistogram waits;                     ///< after that fifth
  std::vector<WaitHistogram> group_waits;  ///< the same, of Placement::groups
  Explanation explanation;                 ///< after it, all operations together
  std::uint64_t settled_operations = 0;    ///< after it
  std::optional<TableLife> table;          ///< the first process's, if the policy replaces it
  std::vector<ThreadResult> threads;
};

/// Deterministic in (point, index). Nothing when `stop` is requested before its end.
std::optional<Replication> replicate(const Point& point, std::uint64_t index,
                                     const std::stop_token& stop);

}  // namespace futexsim
