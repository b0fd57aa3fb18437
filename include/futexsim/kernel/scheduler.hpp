#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "futexsim/engine/random.hpp"
#include "futexsim/engine/task.hpp"
#include "futexsim/hardware/machine.hpp"
#include "futexsim/kernel/thread.hpp"

namespace futexsim {

/// What the scheduler's own code takes.
struct SchedulerTimes {
  Picoseconds wake_up;         ///< try_to_wake_up(), in the waker
  Picoseconds wake_latency;    ///< of an idle CPU: interrupt, and its way out of the idle loop
  Picoseconds context_switch;  ///< schedule(), from one thread or idleness to another
  Picoseconds time_slice;      ///< of a thread while others wait for its CPU

  /// InputError when the machine's file lacks one.
  SchedulerTimes(const Machine& machine, Picoseconds time_slice);
};

/// Which thread has a CPU. Threads are bound, so each CPU's run queue is its own: the highest
/// priority first, then first in, first out, but a preempted SCHED_FIFO thread comes before its
/// equals. SCHED_OTHER's slices are equal, as those of equal
/// threads are; SCHED_FIFO has none. A thread whose slice is over, or for whose CPU a more urgent
/// one waits, leaves it on its way back to user space: kernel code isn't preempted (PREEMPT_NONE
/// and PREEMPT_VOLUNTARY; what holds or awaits a spinlock isn't anyway). Under a preemptible lock
/// it is, where Kernel asks; a CPU is never interrupted in the midst of a computation.
class Scheduler {
 public:
  Scheduler(const SchedulerTimes& times, Hardware& hardware);

  /// Its program begins after `first_step` on its CPU. A CPU's first thread gets it; the others
  /// wait for it: false.
  bool start(Thread& thread, Task<> program, Picoseconds first_step);

  /// As if `elapsed` of the current slice of the thread's CPU were over.
  void advance_slice(const Thread& thread, Picoseconds elapsed);

  /// TIF_NEED_RESCHED: a more urgent thread waits, or an equal one, and the slice is over.
  bool need_resched(const Thread& thread) const {
    const RunQueue& queue = queue_of(thread);
    if (queue.waiting.empty()) return false;
    const bool has_slices = thread.priority() == 0;
    if (has_slices && thread.cpu().now() - queue.since >= times_.time_slice) return true;
    return queue.highest_waiting() > thread.priority();
  }

  /// The CPU goes to the next thread that can run, which takes a context switch. Returns when the
  /// calling thread has it again: at once if it needn't sleep and no other thread's turn has come,
  /// else after that or a wake-up. Invariant: the caller runs.
  Task<> schedule(Thread& thread);

  /// try_to_wake_up(): does nothing to a thread that isn't in the state `asleep`.
  Task<> wake_up(Thread& waker, Thread& sleeper, Thread::State asleep = Thread::State::sleeping);

  /// owner_on_cpu()
  bool runs(const Thread& thread) const { return queue_of(thread).current == &thread; }
  /// rt_mutex_setprio(): `owner` is at least as urgent as `waiter`, until restore_priority().
  Task<> inherit_priority(Thread& waiter, Thread& owner);
  Task<> restore_priority(Thread& thread);

  /// set_current_state() before schedule(): the thread sleeps there unless a wake-up comes first.
  Task<> prepare_to_sleep(Thread& thread);

  /// wake_q_add(): remembers a thread, with a reference, for a wake-up after the unlock.
  Task<> wake_q_add(Thread& waker, Thread& sleeper);

  /// clone(), as far as it is a wake-up: the child's program begins on its CPU.
  Task<> wake_up_new(Thread& parent, Thread& child, Task<> program);

  /// do_nanosleep(): for `duration` and the slack that a thread's timers have by default. Takes
  /// one actor of the simulation for all threads.
  Task<> nanosleep(Thread& thread, Picoseconds duration);

  /// Gives the word a line that the thread's CPU wrote last, if it has none.
  void give_line(Word& word, const Thread& thread);

  const SchedulerTimes& times() const { return times_; }

  /// Of task_struct: 50 us (init/init_task.c), by which a timer may be late, and mostly is.
  static constexpr Picoseconds timer_slack = microseconds(50);

 private:
  /// The CPUs' hrtimers together. The interrupt takes no time of a thread that runs.
  class Timers final : public Actor {
   public:
    explicit Timers(Scheduler& scheduler) : scheduler_(scheduler) {}
    void add(Thread& thread, Picoseconds expires);
    bool has(const Thread& thread, Picoseconds expires) const {
      return queue_.contains({expires, thread.number()});
    }
    void fire() override;

   private:
    Scheduler& scheduler_;
    bool joined_ = false;
    std::map<std::pair<Picoseconds, std::uint32_t>, Thread*> queue_;  ///< by time, thread number
  };

  struct RunQueue {
    std::deque<Thread*> waiting;
    Thread* current = nullptr;
    Picoseconds since;  ///< when the current thread got the CPU
    Word lock;          ///< of struct rq; no line until the first wake-up

    std::uint32_t highest_waiting() const {
      std::uint32_t highest = 0;
      for (const Thread* thread : waiting) highest = std::max(highest, thread->priority());
      return highest;
    }
  };

  RunQueue& queue_of(const Thread& thread) { return queues_[thread.cpu().id().value]; }
  const RunQueue& queue_of(const Thread& thread) const { return queues_[thread.cpu().id().value]; }
  Task<> run(Thread& thread, Task<> program);
  Process* pick_next(RunQueue& queue, Cpu& cpu);
  void make_runnable(Thread& thread);

  SchedulerTimes times_;
  Hardware& hardware_;
  std::vector<RunQueue> queues_;  ///< by CPU number
  Timers timers_{*this};
};

}  // namespace futexsim
