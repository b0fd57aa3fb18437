// The steps that futex operations are made of, named as in kernel/futex/core.c. Kernel::futex_wait
// has them in line, as it is what simulations spend their time in.

#include <array>

#include "futexsim/kernel/futex.hpp"

namespace futexsim {

bool Kernel::wake_checks_waiters() const {
  return parameters_.wake_checks_waiters.value_or(counts_waiters_);
}

Task<> Kernel::enter(Thread& thread, const FutexKey& key) {
  co_await thread.cpu().compute(system_call_);
  co_await get_futex_key(thread, key);
}

Task<> Kernel::get_futex_key(Thread& thread, const FutexKey& key) {
  if (key.is_shared()) co_await reference_page(thread, key);
}

Task<FoundBucket> Kernel::futex_hash(Thread& thread, const FutexKey& key) {
  Cpu& cpu = thread.cpu();
  Hashing& hashing = hashing_of(thread.mm(), key);
  for (;;) {
    const FutexTable& table = *hashing.table;
    co_await cpu.compute(hashing.hash->time);
    const FoundBucket found{bucket_of(hashing, key), hashing.table->references()};
    if (found.references != nullptr) co_await found.references->read_mask(cpu);
    if (parameters_.loads_bucket_priv) co_await cpu.load(found.bucket.priv);
    bool is_alive = true;
    if (found.references != nullptr) is_alive = co_await found.references->get(cpu);
    if (is_alive) co_return found;
    co_await pivot(thread, hashing, table);
  }
}

Task<> Kernel::futex_hash_put(Thread& thread, FoundBucket found) {
  Cpu& cpu = thread.cpu();
  if (parameters_.loads_bucket_priv) co_await cpu.load(found.bucket.priv);
  if (found.references != nullptr) co_await found.references->put(cpu);
}

Task<> Kernel::waiters_inc(Thread& thread, HashBucket& bucket) {
  if (counts_waiters_) co_await thread.cpu().fetch_add(bucket.waiters, 1);
}

Task<> Kernel::waiters_dec(Thread& thread, HashBucket& bucket) {
  if (counts_waiters_) co_await thread.cpu().fetch_add(bucket.waiters, ~0U);
}

/// The increment comes first, so that a waker who finds 0 comes before the waiter's look at the
/// futex word.
Task<> Kernel::futex_q_lock(Thread& thread, HashBucket& bucket) {
  co_await waiters_inc(thread, bucket);
  co_await acquire(thread, bucket);
}

Task<> Kernel::futex_q_unlock(Thread& thread, HashBucket& bucket) {
  if (decrements_before_unlock_) co_await waiters_dec(thread, bucket);
  co_await release(thread, bucket);
  if (!decrements_before_unlock_) co_await waiters_dec(thread, bucket);
}

Task<std::uint32_t> Kernel::get_futex_value_locked(Thread& thread, Word& word, HashBucket& hb1,
                                                   HashBucket* hb2) {
  const std::uint32_t value = co_await thread.cpu().load(word);
  co_await compare(thread, hb1, hb2);
  co_return value;
}

Task<> Kernel::compare(Thread& thread, HashBucket& hb1, HashBucket* hb2) {
  Cpu& cpu = thread.cpu();
  const bool switch_was_due = spinlock_->is_preemptible() && scheduler_.need_resched(thread);
  co_await cpu.compute(critical_section_);
  if (!spinlock_->is_preemptible()) co_return;
  co_await cpu.elapse();
  // A switch that was due before happened while the thread waited, which its way out makes up for.
  if (switch_was_due || !scheduler_.need_resched(thread)) co_return;
  const std::array<Word*, 2> locks{&hb1.lock, hb2 != nullptr ? &hb2->lock : nullptr};
  const std::span<Word* const> held(locks.data(), hb2 != nullptr ? 2 : 1);
  co_await spinlock_->preempt_holder(thread, held);
}

/// A resize or a requeue may move the waiter until the lock is held.
Task<bool> futex_q_lockptr_lock(Kernel& kernel, Thread& thread, FutexQ& q) {
  for (;;) {
    co_await thread.cpu().load(q.node);
    HashBucket* const bucket = q.bucket;
    if (bucket == nullptr) co_return false;
    co_await kernel.acquire(thread, *bucket);
    co_await thread.cpu().load(q.node);
    if (q.bucket == bucket) co_return true;
    co_await kernel.release(thread, *bucket);
  }
}

Task<> futex_unqueue_locked(Kernel& kernel, Thread& thread, FutexQ& q) {
  HashBucket& bucket = *q.bucket;
  co_await plist_del(thread.cpu(), q);
  co_await kernel.waiters_dec(thread, bucket);
  q.bucket = nullptr;
  co_await kernel.release(thread, bucket);
}

Task<> Kernel::leave(Thread& thread) {
  if (scheduler_.need_resched(thread)) co_await scheduler_.schedule(thread);
}

}  // namespace futexsim
