// FUTEX_WAIT that sleeps, and FUTEX_WAKE, as in kernel/futex/waitwake.c. No timeouts and no
// signals: only a wake-up ends a wait.

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
  Word& node = q.node;
  q.bucket = nullptr;  // q->lock_ptr = NULL: the waiter may go, and with it q
  co_await cpu.store(node, 0);
  if (!kernel.parameters().wake_q) co_return co_await kernel.scheduler().wake_up(waker, task);
  co_await kernel.scheduler().wake_q_add(waker, task);
  tasks_.push_back(&task);
}

Task<> WakeQ::wake_up(Kernel& kernel, Thread& waker) {
  for (Thread* task : tasks_) co_await kernel.scheduler().wake_up(waker, *task);
}

namespace {

enum class Wait { woken, spurious, value_differs };

/// futex_wait_setup(), futex_do_wait() and futex_unqueue().
Task<Wait> wait_once(Kernel& kernel, Thread& thread, FutexQ& q, Futex& futex, std::uint32_t value) {
  Cpu& cpu = thread.cpu();
  const FoundBucket found = co_await kernel.futex_hash(thread, q.key);
  co_await kernel.futex_q_lock(thread, found.bucket);
  const std::uint32_t read =
      co_await kernel.get_futex_value_locked(thread, futex.word, found.bucket);
  if (read != value) {
    co_await kernel.futex_q_unlock(thread, found.bucket);
    co_await kernel.futex_hash_put(thread, found);
    co_return Wait::value_differs;
  }

  // The counter of waiters keeps its increment.
  co_await kernel.scheduler().prepare_to_sleep(thread);
  co_await plist_add(cpu, q, found.bucket);
  co_await kernel.release(thread, found.bucket);
  co_await kernel.futex_hash_put(thread, found);
  co_await cpu.load(q.node);  // plist_node_empty(): a waker was here already
  if (q.bucket != nullptr) co_await kernel.scheduler().schedule(thread);
  thread.set_running();

  const bool still_queued = co_await futex_q_lockptr_lock(kernel, thread, q);
  if (!still_queued) co_return Wait::woken;
  co_await futex_unqueue_locked(kernel, thread, q);
  co_return Wait::spurious;
}

}  // namespace

/// Spurious: the wake-up of an earlier wait, whose waiter hadn't slept yet, comes in a later one.
Task<bool> futex_wait(Kernel& kernel, Thread& thread, Futex& futex, std::uint32_t value) {
  kernel.scheduler().give_line(thread.kernel_stack, thread);
  FutexQ q{.task = thread, .key = futex.key, .node = thread.kernel_stack};
  co_await kernel.enter(thread, q.key);
  Wait wait = co_await wait_once(kernel, thread, q, futex, value);
  while (wait == Wait::spurious) {
    q.key = futex.key;
    co_await kernel.get_futex_key(thread, q.key);
    wait = co_await wait_once(kernel, thread, q, futex, value);
  }
  co_await kernel.leave(thread);
  co_return wait == Wait::woken;
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
