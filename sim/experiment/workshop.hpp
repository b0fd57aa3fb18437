#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace futexsim {

/// Tasks that several threads take one by one, and what came of them.
template <class Result>
class Workshop {
 public:
  /// Nothing when it is stopped before its end.
  using Task = std::function<std::optional<Result>(std::size_t index, const std::stop_token& stop)>;

  Workshop(std::size_t tasks, Task task) : task_(std::move(task)), results_(tasks) {}

  /// What each thread does: take a task, do it, until there is none or a stop.
  void work() {
    while (true) {
      std::size_t index = 0;
      {
        const std::scoped_lock lock(mutex_);
        if (next_ == results_.size() || stop_.stop_requested()) return;
        index = next_++;
      }
      std::optional<Result> result;
      std::exception_ptr error;
      try {
        result = task_(index, stop_.get_token());
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

  /// The result of a task, once: waits for it, but not for long. Nothing when it isn't there yet
  /// or was given up.
  std::optional<Result> take(std::size_t index, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return results_[index] || error_; });
    return take(index, lock);
  }

  /// The same without waiting.
  std::optional<Result> take_now(std::size_t index) {
    const std::unique_lock lock(mutex_);
    return take(index, lock);
  }

  std::size_t finished() {
    const std::scoped_lock lock(mutex_);
    return finished_;
  }

 private:
  std::optional<Result> take(std::size_t index, const std::unique_lock<std::mutex>& /*held*/) {
    if (error_) std::rethrow_exception(error_);
    return std::exchange(results_[index], std::nullopt);
  }

  Task task_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<Result>> results_;
  std::size_t failed_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr error_;
  std::size_t next_ = 0;
  std::size_t finished_ = 0;
};

/// What a workshop's owner is told, and asked about ten times a second, on its own thread; any
/// may be empty.
template <class Result>
struct WorkObserver {
  std::function<void(std::size_t index, const Result&)> finished;  ///< in the order of the tasks
  std::function<void(std::size_t done)> progress;
  std::function<bool()> interrupted;
};

/// Does the tasks, up to `jobs` at a time. False when interrupted: what was finished has been
/// handed over all the same. The first exception of a task, in their order among those that ran,
/// is thrown on.
template <class Result>
bool work(std::size_t tasks, unsigned jobs, typename Workshop<Result>::Task task,
          const WorkObserver<Result>& observer) {
  using namespace std::chrono_literals;
  Workshop<Result> workshop(tasks, std::move(task));
  std::vector<std::jthread> threads;
  const struct StopBeforeJoin {
    Workshop<Result>& workshop;
    ~StopBeforeJoin() { workshop.stop(); }
  } guard{workshop};
  const std::size_t wanted = std::min<std::size_t>(std::max(jobs, 1U), tasks);
  while (threads.size() < wanted) threads.emplace_back([&] { workshop.work(); });

  std::size_t next = 0;
  bool interrupted = false;
  while (next < tasks && !interrupted) {
    interrupted = observer.interrupted && observer.interrupted();
    const std::optional<Result> result = workshop.take(next, 100ms);
    if (observer.progress) observer.progress(workshop.finished());
    if (!result) continue;
    if (observer.finished) observer.finished(next, *result);
    ++next;
  }
  if (!interrupted) return true;
  workshop.stop();
  threads.clear();
  for (; next < tasks; ++next) {
    const std::optional<Result> result = workshop.take_now(next);
    if (result && observer.finished) observer.finished(next, *result);
  }
  return false;
}

}  // namespace futexsim
