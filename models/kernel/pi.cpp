// FUTEX_LOCK_PI and FUTEX_UNLOCK_PI, as in kernel/futex/pi.c, on as much of an rt_mutex as threads
// of one priority need. Left out: inheritance of priorities and the walk along chains of owners,
// the owner's list of pi_states, timeouts, signals, owners that die, and the lines of the tree of
// waiters other than that of wait_lock.

#include <cassert>

#include "futexsim/kernel/futex.hpp"

namespace futexsim {
namespace {

/// __rt_mutex_start_proxy_lock() under the bucket's lock, which the rt_mutex's own lock then takes
/// the place of, and the way into the chain before it. The bucket's lock alone keeps the table.
Task<> queue_pi(Kernel& kernel, Thread& thread, FutexQ& q, FoundBucket found) {
  PiState& pi = *q.pi_state;
  kernel.scheduler().give_line(pi.wait_lock, thread);
  co_await plist_add(thread.cpu(), q, found.bucket);
  co_await kernel.futex_hash_put(thread, found);
  co_await kernel.raw_spinlock().acquire(thread, pi.wait_lock);
  co_await kernel.release(thread, found.bucket);
  pi.rt_waiters.push_back(&thread);
  co_await kernel.raw_spinlock().release(thread, pi.wait_lock);
}

/// rt_mutex_wait_proxy_lock()
Task<> wait_pi(Kernel& kernel, Thread& thread, PiState& pi) {
  SpinLock& spinlock = kernel.raw_spinlock();
  co_await spinlock.acquire(thread, pi.wait_lock);
  co_await kernel.scheduler().prepare_to_sleep(thread);
  while (pi.is_locked || pi.rt_waiters.front() != &thread) {  // try_to_take_rt_mutex()
    co_await spinlock.release(thread, pi.wait_lock);
    co_await kernel.scheduler().schedule(thread);
    co_await spinlock.acquire(thread, pi.wait_lock);
    co_await kernel.scheduler().prepare_to_sleep(thread);
  }
  thread.set_running();
  pi.is_locked = true;
  pi.rt_waiters.pop_front();
  co_await spinlock.release(thread, pi.wait_lock);
}

enum class Taken { by_us, by_other, retry };

/// Takes a free futex, or makes its owner come to the kernel when it unlocks. User space may change
/// the word at the same time: retry.
Task<Taken> futex_lock_pi_atomic(Kernel& kernel, Thread& thread, Futex& futex, HashBucket& bucket) {
  Cpu& cpu = thread.cpu();
  const std::uint32_t word = co_await kernel.get_futex_value_locked(thread, futex.word, bucket);
  co_await cpu.load(bucket.chain);
  const FutexQ* const top = co_await find_waiter(cpu, bucket.first, futex.key);
  if (top != nullptr) co_return Taken::by_other;
  const bool is_free = (word & futex_tid_mask) == 0;
  const std::uint32_t found =
      co_await cpu.compare_exchange(futex.word, word, is_free ? tid(thread) : word | futex_waiters);
  if (found != word) co_return Taken::retry;
  if (is_free) co_return Taken::by_us;
  futex.pi.is_locked = true;  // attach_to_pi_owner()
  co_return Taken::by_other;
}

/// With fixup_pi_owner(), which finds the word as it should be.
Task<> futex_unqueue_pi(Kernel& kernel, Thread& thread, FutexQ& q, Futex& futex) {
  const bool still_queued = co_await futex_q_lockptr_lock(kernel, thread, q);
  assert(still_queued && "nobody else takes a waiter out of the chain");
  if (!still_queued) co_return;
  co_await thread.cpu().load(futex.word);
  co_await futex_unqueue_locked(kernel, thread, q);
}

/// wake_futex_pi(): the word names the new owner at once.
Task<> wake_futex_pi(Kernel& kernel, Thread& thread, Futex& futex) {
  PiState& pi = futex.pi;
  assert(!pi.rt_waiters.empty() && "a waiter in the chain is one of the rt_mutex");
  Thread& next = *pi.rt_waiters.front();
  const std::uint32_t found = co_await thread.cpu().compare_exchange(
      futex.word, futex_waiters | tid(thread), futex_waiters | tid(next));
  assert(found == (futex_waiters | tid(thread)) && "only the owner unlocks");
  pi.is_locked = false;
  co_await kernel.scheduler().wake_q_add(thread, next);
  co_await kernel.raw_spinlock().release(thread, pi.wait_lock);
  co_await kernel.scheduler().wake_up(thread, next);
}

}  // namespace

Task<> futex_lock_pi(Kernel& kernel, Thread& thread, Futex& futex) {
  kernel.scheduler().give_line(thread.kernel_stack, thread);
  FutexQ q{.task = thread, .key = futex.key, .node = thread.kernel_stack, .pi_state = &futex.pi};
  co_await kernel.enter(thread, q.key);
  for (auto taken = Taken::retry; taken != Taken::by_us;) {
    const FoundBucket found = co_await kernel.futex_hash(thread, q.key);
    co_await kernel.futex_q_lock(thread, found.bucket);
    taken = co_await futex_lock_pi_atomic(kernel, thread, futex, found.bucket);
    if (taken == Taken::by_other) {
      co_await queue_pi(kernel, thread, q, found);
      co_await wait_pi(kernel, thread, futex.pi);
      co_await futex_unqueue_pi(kernel, thread, q, futex);
      break;
    }
    co_await kernel.futex_q_unlock(thread, found.bucket);
    co_await kernel.futex_hash_put(thread, found);
  }
  co_await kernel.leave(thread);
}

Task<> futex_unlock_pi(Kernel& kernel, Thread& thread, Futex& futex) {
  Cpu& cpu = thread.cpu();
  co_await kernel.enter(thread, futex.key);
  const std::uint32_t word = co_await cpu.load(futex.word);
  assert((word & futex_tid_mask) == tid(thread) && "only the owner unlocks");
  const FoundBucket found = co_await kernel.futex_hash(thread, futex.key);
  HashBucket& bucket = found.bucket;
  co_await kernel.acquire(thread, bucket);
  co_await cpu.load(bucket.chain);
  const FutexQ* const top = co_await find_waiter(cpu, bucket.first, futex.key);
  if (top != nullptr) {
    co_await kernel.raw_spinlock().acquire(thread, top->pi_state->wait_lock);
    co_await kernel.release(thread, bucket);
    co_await wake_futex_pi(kernel, thread, futex);
  } else {
    co_await cpu.compare_exchange(futex.word, word, 0);
    co_await kernel.release(thread, bucket);
  }
  co_await kernel.futex_hash_put(thread, found);
  co_await kernel.leave(thread);
}

}  // namespace futexsim
