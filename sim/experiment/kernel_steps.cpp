#include "kernel_steps.hpp"

namespace futexsim {
namespace {

/// A thread's steps on a line that others wait for. Each time the line arrives, it stays for the
/// hold window; a step after that, or a write to a mere copy, takes another transfer.
class LineVisits {
 public:
  LineVisits(const MeanTransfers& transfers, double hold_window)
      : transfers_(transfers), hold_window_(hold_window) {}

  void arrive(Access access) {
    time_ += access == Access::read ? transfers_.read : transfers_.write;
    owned_ = access == Access::write;
    since_arrival_ = 0;
  }
  /// `gap` after the step before.
  void step(double gap, Access access) {
    since_arrival_ += gap;
    const bool hit = since_arrival_ < hold_window_ && (owned_ || access == Access::read);
    if (!hit) arrive(access);
  }
  double time() const { return time_; }

 private:
  const MeanTransfers& transfers_;
  double hold_window_;
  double time_ = 0;
  double since_arrival_ = 0;
  bool owned_ = false;
};

}  // namespace

KernelSteps::KernelSteps(const KernelParameters& kernel, const Machine& machine)
    : counts_waiters_(kernel.counts_waiters()),
      decrements_before_unlock_(kernel.decrements_before_unlock()),
      loads_priv_(kernel.loads_bucket_priv),
      critical_section_(in_nanoseconds(PathTimes(machine).critical_section)),
      atomic_(machine.parameters().costs.atomic.value),
      plain_(machine.parameters().costs.plain.value),
      hold_window_(machine.parameters().memory.hold_window.value) {}

double KernelSteps::compute_at_bucket() const {
  const double atomics = counts_waiters_ ? 3 : 1;  // cmpxchg of the lock; waiters up and down
  const double plain = loads_priv_ ? 3 : 1;        // the unlock; hb->priv twice
  return atomics * atomic_ + critical_section_ + plain * plain_;
}

double KernelSteps::lone_transfers(const MeanTransfers& line) const {
  // All steps after the first hit, but the first atomic after a load must drive out the copies.
  return loads_priv_ ? line.read + line.upgrade : line.write;
}

double KernelSteps::pending_service(const MeanTransfers& line) const {
  // The second comes: hb->priv and its first atomic, which take the line from the holder.
  const double arrival = loads_priv_ ? line.read + line.write : line.write;
  // The holder takes it back to unlock, the second reads that and sets the lock.
  return arrival + line.write + line.read + line.upgrade + critical_section_;
}

double KernelSteps::queued_service(const MeanTransfers& line) const {
  LineVisits visits(line, hold_window_);
  // futex_hash(), hb_waiters_inc(), and the lock's cmpxchg.
  if (loads_priv_) visits.arrive(Access::read);
  visits.arrive(Access::write);
  if (counts_waiters_) visits.step(atomic_, Access::write);
  // The slow path prepares its MCS node and looks once more. It swaps the tail when those stores
  // have left the store buffer: the node's line comes from whoever handed the lock over last.
  visits.step(atomic_ + 2 * plain_, Access::read);
  visits.arrive(Access::write);
  // At the head of the queue: sees the lock free, and sets it. The critical section and the unlock
  // are over before that store's transfer is, and leave the store buffer with it, and then the
  // waiting decrement: unless that comes first, and the unlock an atomic later.
  visits.arrive(Access::read);
  visits.step(plain_, Access::write);
  if (decrements_before_unlock_) visits.step(atomic_, Access::write);
  if (loads_priv_) visits.step(plain_, Access::read);
  return visits.time();
}

double KernelSteps::counter_service(const MeanTransfers& line) {
  // hash_mask and, twice, `immutable` are read; each read finds the line gone, and each atomic
  // finds copies.
  return 3 * line.read + 2 * line.write;
}

}  // namespace futexsim
