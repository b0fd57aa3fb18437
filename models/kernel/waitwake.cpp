// FUTEX_WAIT that sleeps, and FUTEX_WAKE, as in kernel/futex/waitwake.c. No timeouts and no
// signals: only a wake-up ends a wait.

#include <cassert>
#include <vector>

#include "futexsim/kernel/futex.hpp"
#include "wake_q.hpp"

namespace futexsim {

Task<> WakeQ::mark(Kernel& kernel, Thread& waker, FutexQ& q) {
  Cpu& cpu = waker.cpu();
  Thread& task = q.task;
  HashBucket& bucket = *q.bucket;
  co_await plist_del(cpu, q);
  co_await kernel.waiters_dec(waker, bucket);
  co_await cpu.store(q.node, 0);  // q->lock_ptr = NULL: the waiter may go
  if (!kernel.parameters().wake_q) co_return co_await kernel.scheduler().wake_up(waker, task);
  co_await kernel.scheduler().wake_q_add(waker, task);
  tasks_.push_back(&task);
}

Task<> WakeQ::wake_up(Kernel& kernel, Thread& waker) {
  for (Thread* task : tasks_) co_await kernel.scheduler().wake_up(waker, *task);
}

Task<bool> futex_wait(Kernel& kernel, Thread& thread, Futex& futex, std::uint32_t value) {
  Cpu& cpu = thread.cpu();
  Scheduler& scheduler = kernel.scheduler();
  scheduler.give_line(thread.kernel_stack, thread);
  FutexQ q{.task = thread, .key = futex.key, .node = thread.kernel_stack};
  co_await kernel.enter(thread, q.key);

  // futex_wait_setup()
  const FoundBucket found = co_await kernel.futex_hash(thread, q.key);
  co_await kernel.futex_q_lock(thread, found.bucket);
  const std::uint32_t read = co_await cpu.load(futex.word);
  co_await cpu.compute(kernel.critical_section());
  if (read != value) {
    co_await kernel.futex_q_unlock(thread, found.bucket);
    co_await kernel.futex_hash_put(thread, found);
    co_await kernel.leave(thread);
    co_return false;
  }

  // futex_wait_queue(): the counter of waiters keeps its increment
  co_await scheduler.prepare_to_sleep(thread);
  co_await plist_add(cpu, q, found.bucket);
  co_await kernel.release(thread, found.bucket);
  co_await kernel.futex_hash_put(thread, found);
  co_await scheduler.schedule(thread);

  // futex_unqueue(): lock_ptr says that it needn't
  co_await cpu.load(q.node);
  assert(q.bucket == nullptr && "only a wake-up ends a wait");
  co_await kernel.leave(thread);
  co_return true;
}

Task<std::uint32_t> futex_wake(Kernel& kernel, Thread& thread, Futex& futex,
                               std::uint32_t nr_wake) {
  Cpu& cpu = thread.cpu();
  std::uint32_t woken = 0;
  co_await kernel.enter(thread, futex.key);
  const FoundBucket found = co_await kernel.futex_hash(thread, futex.key);
  HashBucket& bucket = found.bucket;

  bool pending = true;
  if (kernel.wake_checks_waiters()) {  // futex_hb_waiters_pending()
    kernel.scheduler().give_line(thread.kernel_stack, thread);
    co_await cpu.fetch_add(thread.kernel_stack, 0);  // smp_mb()
    pending = co_await cpu.load(bucket.waiters) != 0;
  }
  if (pending) {
    WakeQ wake_q;
    co_await kernel.acquire(thread, bucket);
    co_await cpu.load(bucket.chain);
    for (FutexQ* q = bucket.first; woken < nr_wake;) {
      q = co_await find_waiter(cpu, q, futex.key);
      if (q == nullptr) break;
      FutexQ* const next = q->next;
      co_await wake_q.mark(kernel, thread, *q);
      ++woken;
      q = next;
    }
    co_await kernel.release(thread, bucket);
    co_await wake_q.wake_up(kernel, thread);
  }
  co_await kernel.futex_hash_put(thread, found);
  co_await kernel.leave(thread);
  co_return woken;
}

}  // namespace futexsim
