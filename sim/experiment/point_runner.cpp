#include "futexsim/experiment/point_runner.hpp"

#include <algorithm>
#include <thread>

#include "replication.hpp"
#include "workshop.hpp"

namespace futexsim {

bool run_points(std::span<const Point> points, unsigned jobs, const PointRunObserver& observer) {
  const auto task = [&](std::size_t index, const std::stop_token& stop) {
    std::optional<PointResult> result = simulate(points[index], stop);
    if (stop.stop_requested() && !result->precise) result.reset();
    return result;
  };
  return work<PointResult>(points.size(), jobs, task,
                           {.finished = observer.finished,
                            .progress = observer.progress,
                            .interrupted = observer.interrupted});
}

std::optional<std::vector<std::vector<double>>> run_replications(std::span<const Point> points,
                                                                 std::uint32_t replications,
                                                                 unsigned jobs,
                                                                 const PointRunObserver& observer) {
  std::vector<std::vector<double>> rates(points.size(), std::vector<double>(replications));
  const auto task = [&](std::size_t index, const std::stop_token& stop) -> std::optional<double> {
    const auto replication = replicate(points[index / replications], index % replications, stop);
    if (!replication) return std::nullopt;
    return replication->measured;
  };
  const auto keep = [&](std::size_t index, double rate) {
    rates[index / replications][index % replications] = rate;
  };
  const auto progress = [&](std::size_t done) {
    if (observer.progress) observer.progress(done / replications);
  };
  const bool all =
      work<double>(points.size() * replications, jobs, task,
                   {.finished = keep, .progress = progress, .interrupted = observer.interrupted});
  return all ? std::optional(std::move(rates)) : std::nullopt;
}

unsigned default_jobs() {
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace futexsim
