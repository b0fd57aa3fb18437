#include "futexsim/kernel/scheduler.hpp"

namespace futexsim {

/// The owner's pi_lock and its run queue's lock, each by one atomic (rt_mutex_adjust_prio() and
/// rt_mutex_setprio(), which need both even if the number stays). One step: an owner that waits for
/// another lock hands nothing on (rt_mutex_adjust_prio_chain()).
Task<> Scheduler::inherit_priority(Thread& waiter, Thread& owner) {
  RunQueue& queue = queue_of(owner);
  give_line(owner.task_struct_, owner);
  give_line(queue.lock, owner);
  co_await waiter.cpu().fetch_add(owner.task_struct_, 1);
  co_await waiter.cpu().fetch_add(queue.lock, 1);
  owner.inherited_priority_ = std::max(owner.inherited_priority_, waiter.priority());
}

/// All that it has inherited: a thread with waiters for several locks loses too much.
Task<> Scheduler::restore_priority(Thread& thread) {
  give_line(thread.task_struct_, thread);
  co_await thread.cpu().fetch_add(thread.task_struct_, 1);
  thread.inherited_priority_ = 0;
}

}  // namespace futexsim
