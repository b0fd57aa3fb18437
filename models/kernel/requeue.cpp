// FUTEX_CMP_REQUEUE, as in kernel/futex/requeue.c, without priority inheritance.

#include <utility>

#include "futexsim/kernel/futex.hpp"
#include "wake_q.hpp"

namespace futexsim {
namespace {

/// By address: of two buckets on one line, which an array holds, the first comes first.
bool before(const HashBucket& a, const HashBucket& b) {
  const std::uint32_t line_a = a.lock.line->number;
  const std::uint32_t line_b = b.lock.line->number;
  return line_a != line_b ? line_a < line_b : &a < &b;
}

/// double_lock_hb(), double_unlock_hb()
Task<> double_lock(Kernel& kernel, Thread& thread, HashBucket& a, HashBucket& b) {
  const bool in_order = before(a, b);
  co_await kernel.acquire(thread, in_order ? a : b);
  if (&a != &b) co_await kernel.acquire(thread, in_order ? b : a);
}
Task<> double_unlock(Kernel& kernel, Thread& thread, HashBucket& a, HashBucket& b) {
  co_await kernel.release(thread, a);
  if (&a != &b) co_await kernel.release(thread, b);
}

Task<> requeue_futex(Kernel& kernel, Thread& thread, FutexQ& q, HashBucket& to,
                     const FutexKey& key) {
  Cpu& cpu = thread.cpu();
  HashBucket& from = *q.bucket;
  if (&from != &to) {
    co_await plist_del(cpu, q);
    co_await kernel.waiters_dec(thread, from);
    co_await kernel.waiters_inc(thread, to);
    co_await plist_add(cpu, q, to);
  }
  co_await cpu.store(q.node, 0);  // lock_ptr and key
  q.key = key;
}

}  // namespace

Task<std::uint32_t> futex_cmp_requeue(Kernel& kernel, Thread& thread, Futex& from, Futex& to,
                                      std::uint32_t nr_wake, std::uint32_t nr_requeue,
                                      std::uint32_t value) {
  Cpu& cpu = thread.cpu();
  co_await kernel.enter(thread, from.key);
  co_await kernel.get_futex_key(thread, to.key);
  const FoundBucket found1 = co_await kernel.futex_hash(thread, from.key);
  const FoundBucket found2 = co_await kernel.futex_hash(thread, to.key);
  HashBucket& hb1 = found1.bucket;
  HashBucket& hb2 = found2.bucket;
  co_await kernel.waiters_inc(thread, hb2);
  co_await double_lock(kernel, thread, hb1, hb2);

  const std::uint32_t read =
      co_await kernel.get_futex_value_locked(thread, from.word, hb1, &hb1 == &hb2 ? nullptr : &hb2);
  std::uint32_t tasks = 0;
  WakeQ wake_q;
  co_await cpu.load(hb1.chain);
  for (FutexQ* q = hb1.first; read == value && tasks < std::uint64_t{nr_wake} + nr_requeue;) {
    q = co_await find_waiter(cpu, q, from.key);
    if (q == nullptr) break;
    FutexQ* const next = q->next;
    if (tasks < nr_wake) {
      co_await wake_q.mark(kernel, thread, *q);
    } else {
      co_await requeue_futex(kernel, thread, *q, hb2, to.key);
    }
    ++tasks;
    q = next;
  }
  const bool decrements_first = kernel.parameters().decrements_before_unlock();
  if (decrements_first) co_await kernel.waiters_dec(thread, hb2);
  co_await double_unlock(kernel, thread, hb1, hb2);
  co_await wake_q.wake_up(kernel, thread);
  if (!decrements_first) co_await kernel.waiters_dec(thread, hb2);
  co_await kernel.futex_hash_put(thread, found2);
  co_await kernel.futex_hash_put(thread, found1);
  co_await kernel.leave(thread);
  co_return tasks;
}

}  // namespace futexsim
