#include "progress.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>

namespace futexsim::cli {

Progress::Progress(std::size_t points)
    : points_(points),
      on_terminal_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  clear();
}

void Progress::show(std::size_t done) {
  using namespace std::chrono;
  const auto passed = steady_clock::now() - start_;
  if (!on_terminal_ || passed < 1s || done == points_) return;
  shown_ = true;
  if (points_ == 1) {
    std::fprintf(stderr, "\r\033[Ksimulating for %.0f s", duration<double>(passed).count());
    return;
  }
  std::fprintf(stderr, "\r\033[K%zu/%zu points", done, points_);
  if (done != 0) {
    const double left = duration<double>(passed).count() * static_cast<double>(points_ - done) /
                        static_cast<double>(done);
    std::fprintf(stderr, ", about %.0f s left", left);
  }
}

void Progress::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace futexsim::cli
