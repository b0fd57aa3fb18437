// The list of a bucket's waiters (lib/plist.c), as of SCHED_OTHER threads: it is kept by the
// priorities of real-time threads, which are all taken as equal here. So the list of priorities
// beside it has one member, the first waiter.

#include <cassert>

#include "futexsim/kernel/futex.hpp"

namespace futexsim {

/// Compares priorities with the first, and links itself in between the last and the head.
Task<> plist_add(Cpu& cpu, FutexQ& q, HashBucket& bucket) {
  co_await cpu.load(bucket.chain);
  if (bucket.first != nullptr) {
    co_await cpu.load(bucket.first->node);
    co_await cpu.store(bucket.last->node, 0);
  }
  co_await cpu.store(q.node, 0);
  co_await cpu.store(bucket.chain, 0);
  q.bucket = &bucket;
  q.previous = bucket.last;
  q.next = nullptr;
  (q.previous != nullptr ? q.previous->next : bucket.first) = &q;
  bucket.last = &q;
}

/// Links its neighbours; lock_ptr stays as it is. The head is a neighbour at both ends.
Task<> plist_del(Cpu& cpu, FutexQ& q) {
  assert(q.bucket != nullptr && "a waiter that isn't in a chain");
  HashBucket& bucket = *q.bucket;
  co_await cpu.load(q.node);
  co_await cpu.store(q.next != nullptr ? q.next->node : bucket.chain, 0);
  co_await cpu.store(q.previous != nullptr ? q.previous->node : bucket.chain, 0);
  co_await cpu.store(q.node, 0);
  (q.previous != nullptr ? q.previous->next : bucket.first) = q.next;
  (q.next != nullptr ? q.next->previous : bucket.last) = q.previous;
  q.previous = q.next = nullptr;
}

Task<FutexQ*> find_waiter(Cpu& cpu, FutexQ* q, const FutexKey& key) {
  for (; q != nullptr; q = q->next) {
    co_await cpu.load(q->node);
    if (q->key == key) break;
  }
  co_return q;
}

}  // namespace futexsim
