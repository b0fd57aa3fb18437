#pragma once

#include <cstdint>

#include "futexsim/engine/task.hpp"
#include "futexsim/hardware/cpu.hpp"
#include "futexsim/kernel/mm.hpp"

namespace futexsim {

/// struct task_struct: a thread of a process, bound to one CPU as perf's benchmarks bind theirs.
class Thread {
 public:
  enum class State : std::uint8_t { running, sleeping };  ///< TASK_RUNNING, TASK_INTERRUPTIBLE

  Thread(std::uint32_t number, Mm& mm, Cpu& cpu) : number_(number), mm_(mm), cpu_(cpu) {}
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  std::uint32_t number() const { return number_; }
  Mm& mm() const { return mm_; }
  Cpu& cpu() const { return cpu_; }

  /// set_current_state(): from here on a wake-up makes the next Scheduler::schedule() return.
  void set_sleeping() { state_ = State::sleeping; }
  void set_running() { state_ = State::running; }
  State state() const { return state_; }

  Word kernel_stack;  ///< where its futex_q lies; no line until it first waits or wakes

 private:
  friend class Scheduler;

  std::uint32_t number_;
  Mm& mm_;
  Cpu& cpu_;
  State state_ = State::running;
  Word task_struct_;  ///< what a wake-up writes: usage, wake_q, pi_lock; no line until the first
  Process process_;
};

}  // namespace futexsim
