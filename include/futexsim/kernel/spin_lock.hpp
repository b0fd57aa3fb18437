#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "futexsim/engine/task.hpp"
#include "futexsim/hardware/machine.hpp"
#include "futexsim/kernel/thread.hpp"
#include "futexsim/parts/registry.hpp"

namespace futexsim {

class Scheduler;

/// What locks are built on.
struct LockContext {
  Hardware& hardware;
  Scheduler& scheduler;
};

/// A kind of spinlock: one object serves all locks of its kind in a simulation, each a Word that
/// starts as 0, unlocked. After `acquire` the thread holds the lock; `release` is for its holder
/// only, and everything before it is visible to the next holder (acquire and release order).
/// Implementations register themselves in Registry<SpinLock, const LockContext&>.
class SpinLock {
 public:
  virtual ~SpinLock() = default;
  virtual Task<> acquire(Thread& thread, Word& lock) = 0;
  virtual Task<> release(Thread& thread, Word& lock) = 0;

  /// Can its holder lose the CPU, as under PREEMPT_RT? Nothing that holds a true spinlock can.
  virtual bool is_preemptible() const { return false; }
  /// The holder of these locks calls Scheduler::schedule(). Requires is_preemptible().
  virtual Task<> preempt_holder(Thread&, std::span<Word* const>) {
    throw std::logic_error("a spinlock's holder");
  }
  /// What raw_spinlock_t is in the same kernel: never preemptible.
  virtual SpinLock& raw() { return *this; }
};

using SpinLockChoice = Choice<SpinLock, const LockContext&>;

}  // namespace futexsim
