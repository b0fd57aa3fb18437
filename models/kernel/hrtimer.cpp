// Sleeping for a time, as in kernel/time/hrtimer.c.

#include "futexsim/kernel/futex.hpp"

namespace futexsim {

/// The wait is for the end of the slack: nothing else interrupts an idle CPU before it. A wake-up
/// that is late, of an earlier wait, doesn't end it.
Task<> Scheduler::nanosleep(Thread& thread, Picoseconds duration) {
  co_await prepare_to_sleep(thread);
  const Picoseconds expires = thread.cpu().now() + duration + timer_slack;
  timers_.add(thread, expires);
  while (timers_.has(thread, expires)) {
    co_await schedule(thread);
    if (timers_.has(thread, expires)) co_await prepare_to_sleep(thread);
  }
  thread.set_running();
}

void Scheduler::Timers::add(Thread& thread, Picoseconds expires) {
  Simulation& simulation = scheduler_.hardware_.simulation();
  if (!joined_) simulation.join(*this);
  joined_ = true;
  queue_.emplace(std::pair{expires, thread.number()}, &thread);
  simulation.schedule(*this, queue_.begin()->first.first);
}

/// hrtimer_wakeup() of all that are due.
void Scheduler::Timers::fire() {
  Simulation& simulation = scheduler_.hardware_.simulation();
  while (!queue_.empty() && queue_.begin()->first.first <= simulation.now()) {
    Thread& thread = *queue_.begin()->second;
    queue_.erase(queue_.begin());
    if (thread.state_ != Thread::State::sleeping) continue;
    thread.state_ = Thread::State::running;
    if (scheduler_.queue_of(thread).current != &thread) scheduler_.make_runnable(thread);
  }
  if (!queue_.empty()) simulation.schedule(*this, queue_.begin()->first.first);
}

Task<> nanosleep(Kernel& kernel, Thread& thread, Picoseconds duration) {
  co_await thread.cpu().compute(kernel.system_call());
  co_await kernel.scheduler().nanosleep(thread, duration);
  co_await kernel.leave(thread);
}

}  // namespace futexsim
