#include "futexsim/experiment/point_runner.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace futexsim {
namespace {

using namespace std::chrono_literals;

/// Points that several threads take one by one, and what came of them.
class Workshop {
 public:
  explicit Workshop(std::span<const Point> points) : points_(points), results_(points.size()) {}

  /// What each thread does: take a point, simulate it, until there is none or a stop.
  void work() {
    while (true) {
      std::size_t index = 0;
      {
        const std::scoped_lock lock(mutex_);
        if (next_ == points_.size() || stop_.stop_requested()) return;
        index = next_++;
      }
      std::optional<PointResult> result;
      std::exception_ptr error;
      try {
        result = simulate(points_[index], stop_.get_token());
        if (stop_.stop_requested() && !result->precise) result.reset();
      } catch (...) {
        error = std::current_exception();
        stop_.request_stop();
      }
      const std::scoped_lock lock(mutex_);
      if (error && index < failed_) {
        failed_ = index;
        error_ = error;
      }
      ++finished_;
      results_[index] = std::move(result);
      changed_.notify_one();
    }
  }

  void stop() { stop_.request_stop(); }

  /// The result of a point, once: waits for it, but not for long. Nothing when it isn't there yet
  /// or was given up.
  std::optional<PointResult> take(std::size_t index, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return results_[index] || error_; });
    return take(index, lock);
  }

  /// The same without waiting.
  std::optional<PointResult> take_now(std::size_t index) {
    const std::unique_lock lock(mutex_);
    return take(index, lock);
  }

  std::size_t finished() {
    const std::scoped_lock lock(mutex_);
    return finished_;
  }

 private:
  std::optional<PointResult> take(std::size_t index, const std::unique_lock<std::mutex>& /*held*/) {
    if (error_) std::rethrow_exception(error_);
    return std::exchange(results_[index], std::nullopt);
  }

  std::span<const Point> points_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<PointResult>> results_;
  std::size_t failed_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr error_;
  std::size_t next_ = 0;
  std::size_t finished_ = 0;
};

}  // namespace

bool run_points(std::span<const Point> points, unsigned jobs, const PointRunObserver& observer) {
  Workshop workshop(points);
  std::vector<std::jthread> threads;
  const struct StopBeforeJoin {
    Workshop& workshop;
    ~StopBeforeJoin() { workshop.stop(); }
  } guard{workshop};
  const std::size_t wanted = std::min<std::size_t>(std::max(jobs, 1U), points.size());
  while (threads.size() < wanted) threads.emplace_back([&] { workshop.work(); });

  std::size_t next = 0;
  bool interrupted = false;
  while (next < points.size() && !interrupted) {
    interrupted = observer.interrupted && observer.interrupted();
    const std::optional<PointResult> result = workshop.take(next, 100ms);
    if (observer.progress) observer.progress(workshop.finished());
    if (!result) continue;
    if (observer.finished) observer.finished(next, *result);
    ++next;
  }
  if (!interrupted) return true;
  workshop.stop();
  threads.clear();
  for (; next < points.size(); ++next) {
    const std::optional<PointResult> result = workshop.take_now(next);
    if (result && observer.finished) observer.finished(next, *result);
  }
  return false;
}

unsigned default_jobs() {
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace futexsim
