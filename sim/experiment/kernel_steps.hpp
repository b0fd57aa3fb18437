#pragma once

#include "futexsim/hardware/machine.hpp"
#include "futexsim/kernel/kernel.hpp"
#include "mean_transfers.hpp"

namespace futexsim {

/// What FUTEX_WAIT asks of its bucket's line, counted by hand from models/kernel/kernel.cpp and
/// qspinlock.cpp: an operation that finds nobody, one that finds a holder and becomes pending, and
/// one that queues. The line is the server: it makes one transfer at a time, so that a step takes
/// the bucket a transfer, unless it comes within the hold window of the step before it. All times
/// in nanoseconds.
class KernelSteps {
 public:
  KernelSteps(const KernelParameters& kernel, const Machine& machine);

  /// Work at the bucket, of a thread alone on its core.
  double compute_at_bucket() const;
  /// Of an operation that finds nobody, but a line that another thread has used.
  double lone_transfers(const MeanTransfers& line) const;
  /// Time of the line for each of two operations that meet: the second waits as pending.
  double pending_service(const MeanTransfers& line) const;
  /// Time of the line for each operation while more than two are there.
  double queued_service(const MeanTransfers& line) const;
  /// Time of a reference count's line for each operation, while others want it.
  static double counter_service(const MeanTransfers& line);

 private:
  bool counts_waiters_;
  bool decrements_before_unlock_;
  bool loads_priv_;
  double critical_section_;
  double atomic_;
  double plain_;
  double hold_window_;
};

}  // namespace futexsim
