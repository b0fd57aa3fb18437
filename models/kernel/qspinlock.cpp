#include <vector>

#include "futexsim/kernel/spin_lock.hpp"

namespace futexsim {
namespace {

// The lock word (include/asm-generic/qspinlock_types.h, NR_CPUS below 16K).
constexpr std::uint32_t locked_mask = 0x0000'00ff;
constexpr std::uint32_t pending_mask = 0x0000'ff00;
constexpr std::uint32_t locked_pending_mask = locked_mask | pending_mask;
constexpr std::uint32_t tail_mask = 0xffff'0000;
constexpr std::uint32_t locked_value = 0x001;
constexpr std::uint32_t pending_value = 0x100;
constexpr std::uint32_t tail_shift = 18;  // above the nesting index, always 0 here

/// queued_spin_lock() and its slow path (kernel/locking/qspinlock.c, v4.20 and later): a fast
/// path, one pending waiter who spins on the lock word, and behind it an MCS queue whose waiters
/// spin on their own CPU's node. Left out: the bound on re-reading the lock word during a hand-over
/// (_Q_PENDING_LOOPS), which a hand-over never reaches; `lock bts` and the atomic_read() after it
/// (queued_fetch_set_pending_acquire() on x86) are one access.
class QueuedSpinLock final : public SpinLock {
 public:
  explicit QueuedSpinLock(Hardware& hardware) {
    for (const Cpu& cpu : hardware.cpus()) {
      CacheLine& line = hardware.memory().allocate(hardware.topology().node_of(cpu.id()));
      hardware.memory().place(line, cpu.core_id());
      if (nodes_.size() <= cpu.id().value) nodes_.resize(cpu.id().value + 1);
      nodes_[cpu.id().value] = {.locked = {.line = &line}, .next = {.line = &line}};
    }
  }

  Task<> acquire(Thread& thread, Word& lock) override {
    Cpu& cpu = thread.cpu();
    const std::uint32_t found = co_await cpu.compare_exchange(lock, 0, locked_value);
    if (found != 0) co_await slow_path(cpu, lock, found);
  }

  Task<> release(Thread& thread, Word& lock) override {
    co_await thread.cpu().store_part(lock, locked_mask, 0);
  }

 private:
  /// struct mcs_spinlock of one CPU: its fields share a line.
  struct McsNode {
    Word locked;
    Word next;  ///< the encoded tail of the successor; 0: none
  };

  static std::uint32_t encode_tail(const Cpu& cpu) { return (cpu.id().value + 1) << tail_shift; }
  McsNode& decode_tail(std::uint32_t tail) { return nodes_[(tail >> tail_shift) - 1]; }

  Task<> slow_path(Cpu& cpu, Word& lock, std::uint32_t value) {
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
    McsNode& node = nodes_[cpu.id().value];
    const std::uint32_t tail = encode_tail(cpu);
    co_await cpu.store(node.locked, 0);
    co_await cpu.store(node.next, 0);

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

    value = co_await cpu.spin_until(lock,
                                    [](std::uint32_t v) { return (v & locked_pending_mask) == 0; });
    if ((value & tail_mask) == tail) {
      const std::uint32_t found = co_await cpu.compare_exchange(lock, value, locked_value);
      if (found == value) co_return;  // nobody came after us
      // Somebody queued, or set pending and will find our tail and queue: `next` will be set.
    }
    co_await cpu.store_part(lock, locked_mask, locked_value);
    const std::uint32_t next =
        co_await cpu.spin_until(node.next, [](std::uint32_t v) { return v != 0; });
    co_await cpu.store(decode_tail(next).locked, 1);
  }

  std::vector<McsNode> nodes_;
};

const Declaration<NoParameters> declaration("qspinlock", "queued spinlock, x86-64 since v4.2");
const Register<SpinLock, Hardware&> qspinlock{declaration,
                                              [](const NoParameters&, Hardware& hardware) {
                                                return std::make_unique<QueuedSpinLock>(hardware);
                                              }};

}  // namespace
}  // namespace futexsim
