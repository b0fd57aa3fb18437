// How a process's table is replaced while its threads run (v10 of the 2025 series and later).

#include <cassert>
#include <utility>

#include "futexsim/kernel/futex.hpp"

namespace futexsim {

/// mutex_lock(): spins while the owner runs (mutex_spin_on_owner()). Under PREEMPT_RT it may sleep
/// for a bucket's lock, and whoever spun on its CPU would keep it from going on. Simplified: who
/// has begun to spin goes on with it.
Task<> Kernel::lock_mutex(Thread& thread, Mutex& mutex) {
  Cpu& cpu = thread.cpu();
  for (;;) {
    const std::uint32_t found = co_await cpu.compare_exchange(mutex.word, 0, 1);
    if (found == 0) break;
    if (mutex.owner == nullptr || scheduler_.runs(*mutex.owner)) {
      co_await cpu.spin_until(mutex.word, [](std::uint32_t value) { return value == 0; });
      continue;
    }
    co_await scheduler_.prepare_to_sleep(thread);
    if (mutex.owner != nullptr) {
      mutex.sleepers.push_back(&thread);
      co_await scheduler_.schedule(thread);
    }
    thread.set_running();
  }
  mutex.owner = &thread;
}

Task<> Kernel::unlock_mutex(Thread& thread, Mutex& mutex) {
  const std::vector<Thread*> sleepers = std::exchange(mutex.sleepers, {});
  mutex.owner = nullptr;
  co_await thread.cpu().store(mutex.word, 0);
  for (Thread* const sleeper : sleepers) co_await scheduler_.wake_up(thread, *sleeper);
}

/// futex_pivot_hash(): who finds a dead table puts the new one in its place, or waits for who does.
Task<> Kernel::pivot(Thread& thread, Hashing& hashing, const FutexTable& dead) {
  Word& lock = hashing.lock.word;
  if (lock.line == nullptr) {
    lock.line = &hardware_.memory().allocate(thread.mm().main_node());
  }
  co_await lock_mutex(thread, hashing.lock);
  if (hashing.table.get() == &dead) {
    std::unique_ptr<FutexTable> next = hashing.table->replacement();
    co_await rehash(thread, hashing, *next);
    hashing.retired.push_back(std::exchange(hashing.table, std::move(next)));
    hashing.life = {1U << hashing.table->hash_bits(), thread.cpu().now()};
  }
  co_await unlock_mutex(thread, hashing.lock);
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
      co_await cpu.compute(hashing.hash->time);
      HashBucket& next = to.bucket(hashing.hash->function->hash(waiter.key, to.hash_bits()));
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
