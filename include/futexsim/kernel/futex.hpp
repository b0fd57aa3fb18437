#pragma once

#include <cstdint>
#include <deque>

#include "futexsim/kernel/kernel.hpp"

namespace futexsim {

struct FutexQ;

/// struct futex_pi_state with its rt_mutex. In a kernel the first waiter brings it and the last
/// takes it away; here it stays with the futex.
struct PiState {
  Word wait_lock;                  ///< no line until the first waiter
  bool is_locked = false;          ///< the rt_mutex has an owner
  std::deque<Thread*> rt_waiters;  ///< equal priorities: first come, first served
};

/// A futex of a process: how the kernel names it, and the word that user space sees.
struct Futex {
  FutexKey key;
  Word word;
  PiState pi = {};
};

/// struct futex_q: a waiter, on its own kernel stack, in the chain of a bucket.
struct FutexQ {
  Thread& task;
  FutexKey key;
  Word& node;                    ///< plist_node, lock_ptr and key, on one line
  PiState* pi_state = nullptr;   ///< of FUTEX_LOCK_PI
  HashBucket* bucket = nullptr;  ///< what lock_ptr says; null: nobody has queued it, or woken
  FutexQ* previous = nullptr;
  FutexQ* next = nullptr;
};

// include/linux/plist.h, as far as threads of one priority need it. The bucket's lock is held.
Task<> plist_add(Cpu& cpu, FutexQ& q, HashBucket& bucket);
Task<> plist_del(Cpu& cpu, FutexQ& q);
/// The first waiter on the key, from `q` on; null if there is none. Reads each that it passes.
Task<FutexQ*> find_waiter(Cpu& cpu, FutexQ* q, const FutexKey& key);

// Of kernel/futex/core.c.
/// Locks the bucket that the waiter is in. False: it is in none, as it has been woken.
Task<bool> futex_q_lockptr_lock(Kernel& kernel, Thread& thread, FutexQ& q);
/// __futex_unqueue(), and the unlock after it.
Task<> futex_unqueue_locked(Kernel& kernel, Thread& thread, FutexQ& q);

/// FUTEX_WAIT: sleeps until woken if the word is `value`. False, EWOULDBLOCK, if it isn't.
Task<bool> futex_wait(Kernel& kernel, Thread& thread, Futex& futex, std::uint32_t value);

/// FUTEX_WAKE: wakes up to `nr_wake` waiters, first come, first served. Returns how many.
Task<std::uint32_t> futex_wake(Kernel& kernel, Thread& thread, Futex& futex, std::uint32_t nr_wake);

/// FUTEX_CMP_REQUEUE: if the word of `from` is `value`, wakes up to `nr_wake` of its waiters and
/// moves up to `nr_requeue` others to `to`. Returns how many it woke or moved; none if the word
/// differs (EAGAIN).
Task<std::uint32_t> futex_cmp_requeue(Kernel& kernel, Thread& thread, Futex& from, Futex& to,
                                      std::uint32_t nr_wake, std::uint32_t nr_requeue,
                                      std::uint32_t value);

/// FUTEX_LOCK_PI: the word becomes the thread's TID, at once or when it is handed over.
Task<> futex_lock_pi(Kernel& kernel, Thread& thread, Futex& futex);

/// FUTEX_UNLOCK_PI: hands the futex to the first waiter, or makes the word 0. Invariant: the thread
/// owns it.
Task<> futex_unlock_pi(Kernel& kernel, Thread& thread, Futex& futex);

/// usleep(): a system call around Scheduler::nanosleep().
Task<> nanosleep(Kernel& kernel, Thread& thread, Picoseconds duration);

/// Of FUTEX_LOCK_PI's word.
inline constexpr std::uint32_t futex_waiters = 0x8000'0000;
inline constexpr std::uint32_t futex_tid_mask = 0x3fff'ffff;
inline std::uint32_t tid(const Thread& thread) {
  return thread.number() + 1;
}

}  // namespace futexsim
