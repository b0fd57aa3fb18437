#pragma once

#include <cstdint>

#include "futexsim/engine/task.hpp"
#include "futexsim/hardware/machine.hpp"
#include "futexsim/kernel/thread.hpp"
#include "futexsim/parts/registry.hpp"

namespace futexsim {

/// A kind of spinlock: one object serves all locks of its kind in a simulation, each a Word that
/// starts as 0, unlocked. After `acquire` the thread holds the lock; `release` is for its holder
/// only, and everything before it is visible to the next holder (acquire and release order).
/// Implementations register themselves in Registry<SpinLock, Hardware&>.
class SpinLock {
 public:
  virtual ~SpinLock() = default;
  virtual Task<> acquire(Thread& thread, Word& lock) = 0;
  virtual Task<> release(Thread& thread, Word& lock) = 0;
};

using SpinLockChoice = Choice<SpinLock, Hardware&>;

}  // namespace futexsim
