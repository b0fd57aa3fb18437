// The steps that futex operations are made of, named as in kernel/futex/core.c. Kernel::futex_wait
// has them in line, as it is what simulations spend their time in.

#include "futexsim/kernel/kernel.hpp"

namespace futexsim {

bool Kernel::wake_checks_waiters() const {
  return parameters_.wake_checks_waiters.value_or(counts_waiters_);
}

Task<> Kernel::enter(Thread& thread, const FutexKey& key) {
  co_await thread.cpu().compute(local_work_);
  if (key.is_shared()) co_await reference_page(thread, key);
}

Task<FoundBucket> Kernel::futex_hash(Thread& thread, const FutexKey& key) {
  Cpu& cpu = thread.cpu();
  Hashing& hashing = hashing_of(thread.mm(), key);
  for (;;) {
    const FutexTable& table = *hashing.table;
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

Task<> Kernel::leave(Thread& thread) {
  if (scheduler_.need_resched(thread)) co_await scheduler_.schedule(thread);
}

}  // namespace futexsim
