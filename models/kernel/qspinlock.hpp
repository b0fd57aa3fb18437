#pragma once

#include <vector>

#include "futexsim/kernel/spin_lock.hpp"

namespace futexsim {

/// The lock word of a queued spinlock (include/asm-generic/qspinlock_types.h, NR_CPUS below 16K).
namespace qspinlock {
inline constexpr std::uint32_t locked_mask = 0x0000'00ff;
inline constexpr std::uint32_t pending_mask = 0x0000'ff00;
inline constexpr std::uint32_t locked_pending_mask = locked_mask | pending_mask;
inline constexpr std::uint32_t tail_mask = 0xffff'0000;
inline constexpr std::uint32_t locked_value = 0x001;
inline constexpr std::uint32_t pending_value = 0x100;
inline constexpr std::uint32_t tail_shift = 18;  // above the nesting index, always 0 here
}  // namespace qspinlock

/// struct mcs_spinlock of one CPU: its fields share a line.
struct McsNode {
  Word locked;
  Word next;  ///< the encoded tail of the successor; 0: none
};

/// queued_spin_lock() and its slow path (kernel/locking/qspinlock.c, v4.20 and later): a fast
/// path, one pending waiter who spins on the lock word, and behind it an MCS queue whose waiters
/// spin on their own CPU's node. Left out: the bound on re-reading the lock word during a hand-over
/// (_Q_PENDING_LOOPS), which a hand-over never reaches; `lock bts` and the atomic_read() after it
/// (queued_fetch_set_pending_acquire() on x86) are one access.
///
/// As qspinlock.c includes itself with pv_*() and cna_*() defined anew, `Variant` derives from this
/// and fills in, each to be awaited:
///
///   init_node(cpu, node)                     pv_init_node(): before the node is queued
///   wait_head(cpu, lock, node)               pv_wait_head_or_lock(): first in the queue
///   try_clear_tail(cpu, lock, value, node)   last in the queue too; true if nobody came since
///   lock_handoff(cpu, lock, node, next)      mcs_lock_handoff(): the lock is held
///
/// `Node` is its node, an McsNode at least.
template <class Variant, class Node>
class QueuedSpinLock : public SpinLock {
 public:
  Task<> acquire(Thread& thread, Word& lock) final {
    Cpu& cpu = thread.cpu();
    const std::uint32_t found = co_await cpu.compare_exchange(lock, 0, qspinlock::locked_value);
    if (found != 0) co_await slow_path(cpu, lock, found);
  }

  Task<> release(Thread& thread, Word& lock) final {
    Cpu& cpu = thread.cpu();
    co_await cpu.store_part(lock, qspinlock::locked_mask, 0);
  }

 protected:
  /// Each node on a line of its CPU's memory.
  explicit QueuedSpinLock(Hardware& hardware) {
    for (const Cpu& cpu : hardware.cpus()) {
      CacheLine& line = hardware.memory().allocate(hardware.topology().node_of(cpu.id()));
      hardware.memory().place(line, cpu.core_id());
      if (nodes_.size() <= cpu.id().value) nodes_.resize(cpu.id().value + 1);
      Node& node = nodes_[cpu.id().value];
      node.locked.line = node.next.line = &line;
    }
  }

  static std::uint32_t encode_tail(const Cpu& cpu) {
    return (cpu.id().value + 1) << qspinlock::tail_shift;
  }
  Node& decode_tail(std::uint32_t tail) { return nodes_[(tail >> qspinlock::tail_shift) - 1]; }

 private:
  Variant& variant() { return static_cast<Variant&>(*this); }

  Task<> slow_path(Cpu& cpu, Word& lock, std::uint32_t value) {
    using namespace qspinlock;
    if (value == pending_value) {  // a hand-over is in progress
      value = co_await cpu.spin_until(lock, [](std::uint32_t v) { return v != pending_value; });
    }
    if ((value & ~locked_mask) == 0) {
      value = co_await cpu.fetch_or(lock, pending_value);
      if ((value & ~locked_mask) == 0) {
        if ((value & locked_mask) != 0) {
          co_await cpu.spin_until(lock, [](std::uint32_t v) { return (v & locked_mask) == 0; });
        }
        co_await cpu.store_part(lock, locked_pending_mask, locked_value);
        co_return;
      }
      if ((value & pending_mask) == 0) co_await cpu.store_part(lock, pending_mask, 0);
    }
    co_await queue(cpu, lock);
  }

  Task<> queue(Cpu& cpu, Word& lock) {
    using namespace qspinlock;
    Node& node = nodes_[cpu.id().value];
    const std::uint32_t tail = encode_tail(cpu);
    co_await cpu.store(node.locked, 0);
    co_await cpu.store(node.next, 0);
    co_await variant().init_node(cpu, node);

    // The lock may have been released meanwhile.
    std::uint32_t value = co_await cpu.load(lock);
    if (value == 0) {
      value = co_await cpu.compare_exchange(lock, 0, locked_value);
      if (value == 0) co_return;
    }

    const std::uint32_t old = co_await cpu.exchange_part(lock, tail_mask, tail);
    if ((old & tail_mask) != 0) {
      co_await cpu.store(decode_tail(old).next, tail);
      co_await cpu.spin_until(node.locked, [](std::uint32_t locked) { return locked != 0; });
      // The successor may have queued by now: its line is fetched while we wait for the lock.
      const std::uint32_t next = co_await cpu.load(node.next);
      if (next != 0) co_await cpu.prefetch_for_write(decode_tail(next).locked);
    }

    co_await variant().wait_head(cpu, lock, node);
    value = co_await cpu.spin_until(lock,
                                    [](std::uint32_t v) { return (v & locked_pending_mask) == 0; });
    if ((value & tail_mask) == tail) {
      const bool nobody_came = co_await variant().try_clear_tail(cpu, lock, value, node);
      if (nobody_came) co_return;
      // Somebody queued, or set pending and will find our tail and queue: `next` will be set.
    }
    co_await cpu.store_part(lock, locked_mask, locked_value);
    const std::uint32_t next =
        co_await cpu.spin_until(node.next, [](std::uint32_t v) { return v != 0; });
    co_await variant().lock_handoff(cpu, lock, node, next);
  }

  std::vector<Node> nodes_;
};

}  // namespace futexsim
