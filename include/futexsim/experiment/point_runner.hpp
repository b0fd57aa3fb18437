#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "futexsim/experiment/point.hpp"

namespace futexsim {

/// All called on the calling thread; any may be empty.
struct PointRunObserver {
  /// In the order of the points, whatever the order in which they finish.
  std::function<void(std::size_t index, const PointResult&)> finished;
  /// About ten times a second: points simulated so far.
  std::function<void(std::size_t done)> progress;
  /// Asked as often; from true on no further point starts and those underway are given up.
  std::function<bool()> interrupted;
};

/// Simulates each point, up to `jobs` at a time, each on one thread. False when interrupted: what
/// was finished has been handed over all the same. The first exception of a point, in their
/// order among those that ran, is thrown on.
bool run_points(std::span<const Point> points, unsigned jobs, const PointRunObserver& observer);

/// Operations per second and thread of each point (outer) in each of its first `replications`
/// replications, whatever their precision. Up to `jobs` replications at a time; the observer's
/// `finished` is not called. Nothing when interrupted. std::overflow_error when latencies take
/// simulated time out of its range.
std::optional<std::vector<std::vector<double>>> run_replications(std::span<const Point> points,
                                                                 std::uint32_t replications,
                                                                 unsigned jobs,
                                                                 const PointRunObserver& observer);

/// As many jobs as the machine has CPUs.
unsigned default_jobs();

}  // namespace futexsim
