#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "futexsim/engine/statistics.hpp"
#include "futexsim/engine/task.hpp"
#include "futexsim/hardware/machine.hpp"
#include "futexsim/kernel/futex_key.hpp"
#include "futexsim/kernel/hash_function.hpp"
#include "futexsim/kernel/spin_lock.hpp"
#include "futexsim/kernel/table_policy.hpp"

namespace futexsim {

/// A file of configs/kernels: what a version of kernel/futex does, so that it can be held against
/// the source.
struct KernelParameters {
  std::string name;
  std::string description;
  SpinLockChoice spinlock;
  BucketLayout bucket;
  std::string waiters = "decrement-after-unlock";
  bool loads_bucket_priv = false;
  std::vector<std::string> policies;  ///< those that existed; the first is the default
  HashChoice global_hash;             ///< of keys that go to a global table
  HashChoice private_hash;            ///< of keys that go to a process's own table

  static const Declaration<KernelParameters>& declaration();
};

/// What is chosen for a run beside the kernel itself.
struct FutexHashing {
  PolicyChoice policy;
  HashChoice hash;
};

/// What a kernel needs to know of a machine: time in its own instructions, in `paths` of the
/// machine's file, without the hash function and accesses to shared lines.
struct PathTimes {
  Picoseconds futex_wait;        ///< FUTEX_WAIT that returns EWOULDBLOCK, system call included
  Picoseconds critical_section;  ///< under the bucket lock: read the futex word and compare

  /// InputError when the machine's file lacks one.
  explicit PathTimes(const Machine& machine);
};

/// The futex code of one kernel at work in one simulation.
class Kernel {
 public:
  /// `main_node`: where the process's main thread runs, which asks for the table.
  Kernel(const KernelParameters& parameters, const FutexHashing& hashing, const Machine& machine,
         Hardware& hardware, NodeId main_node);

  /// FUTEX_WAIT on a private futex whose value differs: returns EWOULDBLOCK after it has looked.
  Task<> futex_wait(Cpu& cpu, FutexKey key);

  /// Of one operation, outside the bucket lock and without waiting for lines.
  Picoseconds local_work() const { return local_work_; }
  HashBucket& bucket_of(const FutexKey& key) {
    return policy_->bucket(hash_->hash(key, policy_->bits()));
  }

  std::uint64_t acquires() const { return acquires_; }
  std::uint64_t releases() const { return releases_; }
  /// From the first attempt at a bucket lock to holding it.
  const WaitHistogram& lock_waits() const { return lock_waits_; }
  void forget_lock_waits() { lock_waits_ = {}; }

 private:
  Task<> acquire(Cpu& cpu, HashBucket& bucket);
  Task<> release(Cpu& cpu, HashBucket& bucket);

  KernelParameters parameters_;
  bool counts_waiters_;
  bool decrements_before_unlock_;
  Picoseconds local_work_;
  Picoseconds critical_section_;
  std::unique_ptr<HashFunction> hash_;
  std::unique_ptr<SpinLock> spinlock_;
  std::unique_ptr<TablePolicy> policy_;
  std::uint64_t acquires_ = 0;
  std::uint64_t releases_ = 0;
  WaitHistogram lock_waits_;
};

}  // namespace futexsim
