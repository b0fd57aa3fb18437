#include <cassert>

#include "qspinlock.hpp"

namespace futexsim {
namespace {

struct CnaParameters {
  std::uint32_t numa_spinlock_threshold = 1'000'000;
  std::uint32_t shuffle_reduction = 7;

  static const Declaration<CnaParameters>& declaration() {
    static const auto declaration =
        Declaration<CnaParameters>(
            "cna", "queued spinlock that stays on a node: CNA, Kogan's v15 of 2021, never merged")
            .optional("numa_spinlock_threshold", &CnaParameters::numa_spinlock_threshold,
                      {.unit = "ns",
                       .help = "how long waiters of other nodes are passed over: "
                               "qspinlock.numa_spinlock_threshold_ns, 1 ms by default",
                       .min = 0,
                       .max = 1e9})
            .optional("shuffle_reduction", &CnaParameters::shuffle_reduction,
                      {.unit = "bits",
                       .help = "while nobody is passed over, one hand-over in 2^bits begins to: "
                               "SHUFFLE_REDUCTION_PROB_ARG, 7",
                       .max = 31});
    return declaration;
  }
};

/// struct cna_node: 32 bytes, so that a CPU's node at nesting level 0 lies within one line.
/// `start_time` lies beside `numa_node` and is written together with it: an access of its own is
/// one to a line that the CPU has at hand.
struct CnaNode : McsNode {
  Word numa_node;  ///< the preferred one, handed on with the lock
  std::uint32_t real_numa_node = 0;
  std::uint32_t encoded_tail = 0;  ///< of this node
  std::uint32_t seed = 0;          ///< a per-CPU variable, beside the node
  Picoseconds start_time;          ///< when the secondary queue came about; 0: there is none
};

constexpr Picoseconds flush_secondary_queue{1};  // as a start_time
/// PAUSE before Skylake: some 10 cycles (Intel's optimization manual).
constexpr Picoseconds cpu_relax = nanoseconds(4);

/// CNA, compact NUMA-aware (kernel/locking/qspinlock_cna.h of "Add NUMA-awareness to qspinlock",
/// v15): the head of the queue moves waiters of other nodes to a secondary queue while it waits for
/// the lock. That one is circular and hangs on `locked` of whoever is the head, as the encoded tail
/// of its last waiter. It is spliced back in front when its first waiter has waited for the
/// threshold, or when nobody else waits. Left out: CNA_PRIORITY_NODE, for waiters in interrupts and
/// of real-time tasks.
class CnaLock final : public QueuedSpinLock<CnaLock, CnaNode> {
 public:
  CnaLock(const CnaParameters& parameters, Hardware& hardware)
      : QueuedSpinLock(hardware),
        threshold_(nanoseconds(parameters.numa_spinlock_threshold)),
        shuffle_mask_((1U << parameters.shuffle_reduction) - 1) {
    for (const Cpu& cpu : hardware.cpus()) {
      CnaNode& node = decode_tail(encode_tail(cpu));
      node.numa_node.line = node.locked.line;
      node.real_numa_node = hardware.topology().node_of(cpu.id()).value;
      node.encoded_tail = encode_tail(cpu);
      // The kernel's all start as 0, and drift apart with use.
      node.seed = cpu.id().value;
    }
  }

  auto init_node(Cpu& cpu, CnaNode& node) {
    node.start_time = {};
    return cpu.store(node.numa_node, node.real_numa_node);
  }

  /// cna_wait_head_or_lock(), which never takes the lock.
  Task<> wait_head(Cpu& cpu, Word& lock, CnaNode& node) {
    const std::uint32_t locked = co_await cpu.load(node.locked);
    if (locked <= 1 && probably(node)) co_return;
    if (node.start_time != Picoseconds{} && cpu.now() - node.start_time > threshold_) {
      node.start_time = flush_secondary_queue;
      co_return;
    }
    for (;;) {
      const std::uint32_t value = co_await cpu.load(lock);
      if ((value & qspinlock::locked_pending_mask) == 0) co_return;
      const Order order = co_await order_queue(cpu, node);
      if (order.local_is_next) co_return;
      co_await cpu.compute(cpu_relax);
      // Until somebody queues, which the lock word shows, another look finds the same.
      if (order.last_seen == (value & qspinlock::tail_mask)) {
        co_await cpu.spin_until(lock, [value](std::uint32_t v) { return v != value; });
      }
    }
  }

  Task<bool> try_clear_tail(Cpu& cpu, Word& lock, std::uint32_t value, CnaNode& node) {
    const std::uint32_t locked = co_await cpu.load(node.locked);
    if (locked > 1) {
      const std::uint32_t next = co_await splice_head(cpu, lock, value, node, 0);
      if (next == 0) co_return false;
      co_await cpu.store(decode_tail(next).locked, 1);
      co_return true;
    }
    const std::uint32_t found = co_await cpu.compare_exchange(lock, value, qspinlock::locked_value);
    co_return found == value;
  }

  Task<> lock_handoff(Cpu& cpu, Word& lock, CnaNode& node, std::uint32_t next) {
    const std::uint32_t locked = co_await cpu.load(node.locked);
    if (node.start_time == flush_secondary_queue) {
      assert(locked > 1 && "a secondary queue to flush");
      next = co_await splice_head(cpu, lock, 0, node, next);
      co_await cpu.store(decode_tail(next).locked, 1);
    } else if (locked > 1) {
      CnaNode& successor = decode_tail(next);
      const std::uint32_t preferred = co_await cpu.load(node.numa_node);
      successor.start_time = node.start_time;
      co_await cpu.store(successor.numa_node, preferred);
      co_await cpu.store(successor.locked, locked);
    } else {
      co_await cpu.store(decode_tail(next).locked, 1);
    }
  }

 private:
  /// What a look at the queue came to.
  struct Order {
    bool local_is_next;
    std::uint32_t last_seen;  ///< the queue's last waiter, as far as it is linked; 0: one was moved
  };

  /// False once in 2^shuffle_reduction times.
  bool probably(CnaNode& node) const {
    node.seed = node.seed * 1664525 + 1013904223;  // next_pseudo_random32()
    return (node.seed & shuffle_mask_) != 0;
  }

  /// cna_order_queue(): a next waiter of another node who isn't the last moves.
  Task<Order> order_queue(Cpu& cpu, CnaNode& node) {
    const std::uint32_t next = co_await cpu.load(node.next);
    if (next == 0) co_return Order{false, node.encoded_tail};
    const std::uint32_t preferred = co_await cpu.load(node.numa_node);
    const std::uint32_t numa_node = co_await cpu.load(decode_tail(next).numa_node);
    if (numa_node == preferred) co_return Order{true, next};
    const std::uint32_t after_next = co_await cpu.load(decode_tail(next).next);
    if (after_next == 0) co_return Order{false, next};
    co_await splice_next(cpu, node, decode_tail(next), after_next);
    co_return Order{false, 0};
  }

  /// cna_splice_next(): `next` becomes the last of the secondary queue.
  Task<> splice_next(Cpu& cpu, CnaNode& node, CnaNode& next, std::uint32_t after_next) {
    co_await cpu.store(node.next, after_next);
    const std::uint32_t locked = co_await cpu.load(node.locked);
    if (locked <= 1) {
      co_await cpu.store(next.next, next.encoded_tail);
      node.start_time = cpu.now();
    } else {
      CnaNode& last = decode_tail(locked);
      const std::uint32_t first = co_await cpu.load(last.next);
      co_await cpu.store(last.next, next.encoded_tail);
      co_await cpu.store(next.next, first);
    }
    co_await cpu.store(node.locked, next.encoded_tail);
  }

  /// cna_splice_head(): the secondary queue goes before `next`, and with `next` = 0 becomes the
  /// queue. Yields its first waiter; 0 if somebody has queued meanwhile.
  Task<std::uint32_t> splice_head(Cpu& cpu, Word& lock, std::uint32_t value, CnaNode& node,
                                  std::uint32_t next) {
    const std::uint32_t tail = co_await cpu.load(node.locked);
    CnaNode& last = decode_tail(tail);
    const std::uint32_t first = co_await cpu.load(last.next);
    co_await cpu.store(last.next, next);
    if (next != 0) co_return first;
    const std::uint32_t found =
        co_await cpu.compare_exchange(lock, value, tail | qspinlock::locked_value);
    if (found == value) co_return first;
    co_await cpu.store(last.next, first);
    co_return 0U;
  }

  Picoseconds threshold_;
  std::uint32_t shuffle_mask_;
};

const Register<SpinLock, const LockContext&> cna{
    CnaParameters::declaration(), [](const CnaParameters& parameters, const LockContext& context) {
      return std::make_unique<CnaLock>(parameters, context.hardware);
    }};

}  // namespace
}  // namespace futexsim
