#include "futexsim/kernel/scheduler.hpp"

#include <cassert>
#include <utility>

namespace futexsim {

SchedulerTimes::SchedulerTimes(const Machine& machine, Picoseconds slice)
    : wake_up(machine.path("wake_up")),
      wake_latency(machine.path("wake_latency")),
      context_switch(machine.path("context_switch")),
      time_slice(slice) {}

Scheduler::Scheduler(const SchedulerTimes& times, Hardware& hardware)
    : times_(times), hardware_(hardware) {
  for (const Cpu& cpu : hardware.cpus()) {
    if (queues_.size() <= cpu.id().value) queues_.resize(cpu.id().value + 1);
  }
}

bool Scheduler::start(Thread& thread, Task<> program, Picoseconds first_step) {
  thread.process_.start(run(thread, std::move(program)));
  RunQueue& queue = queue_of(thread);
  if (queue.current != nullptr) {
    queue.waiting.push_back(&thread);
    return false;
  }
  queue.current = &thread;
  queue.since = hardware_.simulation().now();
  thread.cpu().run(thread.process_, first_step);
  return true;
}

void Scheduler::advance_slice(const Thread& thread, Picoseconds elapsed) {
  queue_of(thread).since = queue_of(thread).since - elapsed;
}

/// A thread's life, do_exit() included.
Task<> Scheduler::run(Thread& thread, Task<> program) {
  co_await std::move(program);
  Cpu& cpu = thread.cpu();
  co_await cpu.elapse();
  co_await cpu.switch_to(pick_next(queue_of(thread), cpu));
}

Process* Scheduler::pick_next(RunQueue& queue, Cpu& cpu) {
  queue.current = nullptr;
  queue.since = cpu.now();
  if (queue.waiting.empty()) return nullptr;
  const auto next = std::max_element(
      queue.waiting.begin(), queue.waiting.end(),
      [](const Thread* a, const Thread* b) { return a->priority() < b->priority(); });
  queue.current = *next;
  queue.waiting.erase(next);
  return &queue.current->process_;
}

/// A preempted SCHED_FIFO thread stays at the head of its priority's list; one that a wake-up found
/// on its way to sleep comes after its equals (enqueue_task_rt()).
Task<> Scheduler::schedule(Thread& thread) {
  Cpu& cpu = thread.cpu();
  RunQueue& queue = queue_of(thread);
  assert(queue.current == &thread && "only who has the CPU can give it away");
  co_await cpu.elapse();
  const bool is_preempted = thread.state_ == Thread::State::running;
  if (is_preempted && !need_resched(thread)) co_return;
  co_await cpu.compute(times_.context_switch);
  co_await cpu.elapse();
  if (thread.state_ == Thread::State::running) {
    if (queue.waiting.empty() || queue.highest_waiting() < thread.priority()) co_return;
    if (is_preempted && thread.priority() > 0) {
      queue.waiting.push_front(&thread);
    } else {
      queue.waiting.push_back(&thread);
    }
  }
  co_await cpu.switch_to(pick_next(queue, cpu));
}

/// smp_store_mb() of current->__state.
Task<> Scheduler::prepare_to_sleep(Thread& thread) {
  give_line(thread.task_struct_, thread);
  co_await thread.cpu().fetch_or(thread.task_struct_, 0);
  thread.set_sleeping();
}

/// The two locks are taken by one atomic each, and are rarely contended; their release hits.
Task<> Scheduler::wake_up(Thread& waker, Thread& sleeper, Thread::State asleep) {
  Cpu& cpu = waker.cpu();
  RunQueue& queue = queue_of(sleeper);
  give_line(sleeper.task_struct_, sleeper);
  give_line(queue.lock, sleeper);
  co_await cpu.compute(times_.wake_up);
  co_await cpu.fetch_add(sleeper.task_struct_, 1);
  if (sleeper.state_ != asleep) co_return;
  sleeper.state_ = Thread::State::running;
  if (queue.current == &sleeper) co_return;  // still on its way to sleep: it finds that it runs
  co_await cpu.fetch_add(queue.lock, 1);
  make_runnable(sleeper);
}

/// ttwu_do_activate(): a CPU without work has the thread after its wake-up's latency.
void Scheduler::make_runnable(Thread& thread) {
  RunQueue& queue = queue_of(thread);
  if (queue.current != nullptr) return queue.waiting.push_back(&thread);
  queue.current = &thread;
  queue.since = hardware_.simulation().now() + times_.wake_latency;
  thread.cpu().run(thread.process_, times_.wake_latency);
}

/// get_task_struct(), and cmpxchg() of wake_q.next.
Task<> Scheduler::wake_q_add(Thread& waker, Thread& sleeper) {
  give_line(sleeper.task_struct_, sleeper);
  co_await waker.cpu().fetch_add(sleeper.task_struct_, 1);
  co_await waker.cpu().fetch_add(sleeper.task_struct_, 1);
}

Task<> Scheduler::wake_up_new(Thread& parent, Thread& child, Task<> program) {
  co_await parent.cpu().compute(times_.wake_up);
  co_await parent.cpu().elapse();
  start(child, std::move(program), times_.wake_latency);
}

void Scheduler::give_line(Word& word, const Thread& thread) {
  if (word.line != nullptr) return;
  word.line = &hardware_.memory().allocate(hardware_.topology().node_of(thread.cpu().id()));
  hardware_.memory().place(*word.line, thread.cpu().core_id());
}

}  // namespace futexsim
