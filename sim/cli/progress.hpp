#pragma once

#include <chrono>
#include <cstddef>

namespace futexsim::cli {

/// "12/40 points, about 9 s left", or "simulating for 3 s" of a single point, on standard error, if
/// that is a terminal and the work takes longer than a second. The line is gone when the object is.
class Progress {
 public:
  explicit Progress(std::size_t points);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t done);
  /// Before results go to the same terminal.
  void clear();

 private:
  std::size_t points_;
  bool on_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace futexsim::cli
