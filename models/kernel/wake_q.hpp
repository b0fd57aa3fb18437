#pragma once

#include <vector>

#include "futexsim/kernel/futex.hpp"

namespace futexsim {

/// DEFINE_WAKE_Q(): threads that are woken after the bucket's unlock.
class WakeQ {
 public:
  /// futex_wake_mark(): takes a waiter out of its chain, under the lock of its bucket. A kernel
  /// without wake_q wakes it at once.
  Task<> mark(Kernel& kernel, Thread& waker, FutexQ& q);
  /// wake_up_q()
  Task<> wake_up(Kernel& kernel, Thread& waker);

 private:
  std::vector<Thread*> tasks_;
};

}  // namespace futexsim
