#pragma once

#include <cstdint>
#include <vector>

#include "futexsim/engine/random.hpp"
#include "futexsim/kernel/mm.hpp"

namespace futexsim {

/// The arrays of futexes of `perf bench futex hash`, one a thread, where glibc's malloc puts them:
/// one after the other, with what pthread_create() allocates in between.
class FutexArrays {
 public:
  /// Draws from `random` where the heap is entered and what the first creates leave.
  FutexArrays(const Mm& mm, std::uint32_t threads, std::uint32_t futexes_per_thread,
              RandomStream& random);

  /// Of a futex, 4 bytes each in its thread's array.
  std::uint64_t address(std::uint32_t thread, std::uint32_t futex) const {
    return first_[thread] + std::uint64_t{word_bytes} * futex;
  }

 private:
  static constexpr std::uint32_t word_bytes = 4;

  std::vector<std::uint64_t> first_;
};

}  // namespace futexsim
