#pragma once

#include <algorithm>
#include <cstdint>

#include "futexsim/engine/task.hpp"
#include "futexsim/hardware/cpu.hpp"
#include "futexsim/kernel/mm.hpp"

namespace futexsim {

/// struct task_struct: a thread of a process, bound to one CPU as perf's benchmarks bind theirs.
class Thread {
 public:
  /// TASK_RUNNING, TASK_INTERRUPTIBLE, TASK_RTLOCK_WAIT.
  enum class State : std::uint8_t { running, sleeping, rtlock_wait };

  Thread(std::uint32_t number, Mm& mm, Cpu& cpu, std::uint32_t priority = 0)
      : number_(number), mm_(mm), cpu_(cpu), priority_(priority) {}
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  std::uint32_t number() const { return number_; }
  Mm& mm() const { return mm_; }
  Cpu& cpu() const { return cpu_; }
  /// 0: SCHED_OTHER, 1 to 99: SCHED_FIFO; what it has inherited from a waiter, if that is more.
  std::uint32_t priority() const { return std::max(priority_, inherited_priority_); }

  /// set_current_state(): from here on a wake-up makes the next Scheduler::schedule() return.
  void set_sleeping() { state_ = State::sleeping; }
  void set_rtlock_wait() { state_ = State::rtlock_wait; }
  void set_running() { state_ = State::running; }
  State state() const { return state_; }

  Word kernel_stack;  ///< where its futex_q lies; no line until it first waits or wakes

 private:
  friend class Scheduler;

  std::uint32_t number_;
  Mm& mm_;
  Cpu& cpu_;
  std::uint32_t priority_;
  std::uint32_t inherited_priority_ = 0;
  State state_ = State::running;
  Word task_struct_;  ///< what a wake-up writes: usage, wake_q, pi_lock; no line until the first
  Process process_;
};

}  // namespace futexsim
