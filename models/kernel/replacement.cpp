// How a process's table is replaced while its threads run (v10 of the 2025 series and later).

#include <cassert>
#include <utility>

#include "futexsim/kernel/futex.hpp"

namespace futexsim {

/// futex_pivot_hash(): who finds a dead table puts the new one in its place, or waits for who does.
/// The owner of mm->futex_hash_lock doesn't sleep, so the mutex's waiters spin.
Task<> Kernel::pivot(Thread& thread, Hashing& hashing, const FutexTable& dead) {
  Cpu& cpu = thread.cpu();
  if (hashing.lock.line == nullptr) {
    hashing.lock.line = &hardware_.memory().allocate(thread.mm().main_node());
  }
  std::uint32_t found = 1;
  while (found != 0) {
    co_await cpu.spin_until(hashing.lock, [](std::uint32_t value) { return value == 0; });
    found = co_await cpu.compare_exchange(hashing.lock, 0, 1);
  }
  if (hashing.table.get() == &dead) {
    std::unique_ptr<FutexTable> next = hashing.table->replacement();
    co_await rehash(thread, hashing, *next);
    hashing.retired.push_back(std::exchange(hashing.table, std::move(next)));
    hashing.life = {1U << hashing.table->hash_bits(), cpu.now()};
  }
  co_await cpu.store(hashing.lock, 0);
}

/// futex_rehash_private(): locks one old bucket after the other and moves its waiters, each under
/// the lock of its new bucket as well.
Task<> Kernel::rehash(Thread& thread, const Hashing& hashing, FutexTable& to) {
  Cpu& cpu = thread.cpu();
  FutexTable& from = *hashing.table;
  for (std::uint32_t hash = 0; hash < 1U << from.hash_bits(); ++hash) {
    HashBucket& bucket = from.bucket(hash);
    co_await spinlock_->acquire(thread, bucket.lock);
    assert(bucket.holder == nullptr && "nobody is inside a dead table");
    while (bucket.first != nullptr) {
      FutexQ& waiter = *bucket.first;
      HashBucket& next = to.bucket(hashing.hash->hash(waiter.key, to.hash_bits()));
      co_await plist_del(cpu, waiter);
      co_await waiters_dec(thread, bucket);
      co_await waiters_inc(thread, next);
      co_await spinlock_->acquire(thread, next.lock);
      co_await plist_add(cpu, waiter, next);
      co_await spinlock_->release(thread, next.lock);
    }
    co_await spinlock_->release(thread, bucket.lock);
  }
}

}  // namespace futexsim
