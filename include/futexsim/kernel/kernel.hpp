#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "futexsim/engine/statistics.hpp"
#include "futexsim/engine/task.hpp"
#include "futexsim/hardware/machine.hpp"
#include "futexsim/kernel/futex_key.hpp"
#include "futexsim/kernel/hash_control.hpp"
#include "futexsim/kernel/hash_function.hpp"
#include "futexsim/kernel/mm.hpp"
#include "futexsim/kernel/scheduler.hpp"
#include "futexsim/kernel/sizing.hpp"
#include "futexsim/kernel/spin_lock.hpp"
#include "futexsim/kernel/table_policy.hpp"
#include "futexsim/parts/quantity.hpp"

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
  SizingChoice global_sizing;
  SizingChoice private_sizing = {};     ///< none where no process gets a table unasked
  HashControlChoice hash_control = {};  ///< none where processes can't ask for a table
  std::uint32_t static_buckets = 0;     ///< a global table up to this size is a static array
  std::optional<Quantity> grace_period = {};
  std::optional<bool> wake_checks_waiters = {};  ///< absent: where there is a counter of waiters
  bool wake_q = true;
  std::uint32_t time_slice_us = 3000;
  std::string perf_futex_hash = "v6.16";

  static const Declaration<KernelParameters>& declaration();

  bool counts_waiters() const { return waiters != "none"; }
  /// Does futex_q_unlock() decrement the counter before it unlocks (commit fe00e88d217a)?
  bool decrements_before_unlock() const { return waiters == "decrement-before-unlock"; }
};

/// `choice` with its buckets filled in by the kernel's rule if it doesn't say how many, for a
/// process that had so many threads before its last clone(). InputError if there is no such rule.
PolicyChoice with_buckets(const PolicyChoice& choice, const KernelParameters& kernel,
                          const Topology& topology, std::uint32_t threads);

/// The first policy of the kernel that is global, as large as the kernel makes it at boot.
PolicyChoice global_policy(const KernelParameters& kernel, const Topology& topology);

/// What is chosen for a run beside the kernel itself.
struct FutexHashing {
  PolicyChoice policy;
  HashChoice hash;
};

/// What became of a process's table.
struct TableLife {
  std::uint32_t buckets = 0;                 ///< of the one in use
  std::optional<Picoseconds> replaced_at{};  ///< when it took the place of the first one
};

/// What a kernel needs to know of a machine: time in its own instructions, in `paths` of the
/// machine's file, without the hash function and accesses to shared lines.
struct PathTimes {
  Picoseconds futex_wait;        ///< FUTEX_WAIT that returns EWOULDBLOCK, system call included
  Picoseconds critical_section;  ///< under the bucket lock: read the futex word and compare
  Picoseconds get_user_pages;    ///< get_user_pages_fast() of a process-shared futex's page

  /// InputError when the machine's file lacks one.
  explicit PathTimes(const Machine& machine);
};

/// What futex_hash() finds for a key: a bucket, and the reference that keeps its table.
struct FoundBucket {
  HashBucket& bucket;
  ReferenceCount* references;  ///< null where there are none
};

/// The futex code of one kernel at work in one simulation. Operations beside FUTEX_WAIT that
/// returns at once are in futex.hpp, made of the steps below.
class Kernel {
 public:
  Kernel(const KernelParameters& parameters, const FutexHashing& hashing, const Machine& machine,
         Hardware& hardware);

  /// A new process, with its own hash table if the policy is so. References stay valid.
  /// `threads`: how many it had before its last clone(), which decides how large that table is
  /// where the policy doesn't.
  Mm& create_mm(NodeId main_node, std::uint32_t threads, RandomStream& random);
  Scheduler& scheduler() { return scheduler_; }
  const KernelParameters& parameters() const { return parameters_; }

  /// FUTEX_WAIT on a futex whose value differs: returns EWOULDBLOCK after it has looked.
  Task<> futex_wait(Thread& thread, FutexKey key);

  // Steps of an operation (models/kernel/core.cpp).

  /// System call and get_futex_key().
  Task<> enter(Thread& thread, const FutexKey& key);
  /// Of a process-shared futex; the key of a private one is known without memory.
  Task<> get_futex_key(Thread& thread, const FutexKey& key);
  Task<FoundBucket> futex_hash(Thread& thread, const FutexKey& key);
  Task<> futex_hash_put(Thread& thread, FoundBucket found);
  /// Do nothing in a kernel without the counter.
  Task<> waiters_inc(Thread& thread, HashBucket& bucket);
  Task<> waiters_dec(Thread& thread, HashBucket& bucket);
  Task<> futex_q_lock(Thread& thread, HashBucket& bucket);
  Task<> futex_q_unlock(Thread& thread, HashBucket& bucket);
  /// The futex word, once it is compared. The thread holds the lock of `hb1`, and of `hb2` if there
  /// is one, and may lose its CPU with them under PREEMPT_RT.
  Task<std::uint32_t> get_futex_value_locked(Thread& thread, Word& word, HashBucket& hb1,
                                             HashBucket* hb2 = nullptr);
  Task<> acquire(Thread& thread, HashBucket& bucket);
  Task<> release(Thread& thread, HashBucket& bucket);
  /// exit_to_user_mode_loop().
  Task<> leave(Thread& thread);
  /// Of raw_spinlock_t, which never sleeps.
  SpinLock& raw_spinlock() { return spinlock_->raw(); }
  bool wake_checks_waiters() const;

  /// A system call's own instructions.
  Picoseconds system_call() const { return system_call_; }
  /// Of one operation, outside the bucket lock and without waiting for lines.
  Picoseconds local_work() const { return system_call_ + hash_.time; }
  HashBucket& bucket_of(const Mm& mm, const FutexKey& key) {
    return bucket_of(hashing_of(mm, key), key);
  }

  bool replaces_tables() const { return policy_->resizes(); }
  /// Requires a policy of private tables.
  TableLife table_life(const Mm& mm) const { return private_[mm.number()].life; }

  std::uint64_t acquires() const { return acquires_; }
  std::uint64_t releases() const { return releases_; }
  /// From a thread's first attempt at a bucket lock to holding it, by process.
  const std::vector<WaitHistogram>& lock_waits() const { return lock_waits_; }
  void forget_lock_waits();

 private:
  struct TimedHash {
    std::unique_ptr<HashFunction> function;
    Picoseconds time;
  };

  /// A mutex that spins while its owner runs, and sleeps otherwise.
  struct Mutex {
    Word word;
    const Thread* owner = nullptr;
    std::vector<Thread*> sleepers;
  };

  /// A table, and the function that hashes keys into it.
  struct Hashing {
    const TimedHash* hash = nullptr;
    std::unique_ptr<FutexTable> table;
    TableLife life = {};
    Mutex lock = {};                                        ///< mm->futex_hash_lock
    std::vector<std::unique_ptr<FutexTable>> retired = {};  ///< some may still look at them
  };

  Hashing& hashing_of(const Mm& mm, const FutexKey& key) {
    return private_.empty() || key.is_shared() || key.names_node() ? global()
                                                                   : private_[mm.number()];
  }
  static HashBucket& bucket_of(Hashing& hashing, const FutexKey& key) {
    const std::uint32_t hash = hashing.hash->function->hash(key, hashing.table->hash_bits());
    return key.names_node() ? hashing.table->bucket_on({key.node}, hash)
                            : hashing.table->bucket(hash);
  }
  Hashing& global() {
    if (!global_.table) build_global_table();
    return global_;
  }
  void build_global_table();
  Task<> pivot(Thread& thread, Hashing& hashing, const FutexTable& dead);
  Task<> rehash(Thread& thread, const Hashing& hashing, FutexTable& to);
  Task<> lock_mutex(Thread& thread, Mutex& mutex);
  Task<> unlock_mutex(Thread& thread, Mutex& mutex);
  Task<> compare(Thread& thread, HashBucket& hb1, HashBucket* hb2 = nullptr);
  static TimedHash timed(const HashChoice& choice, const Machine& machine);
  std::unique_ptr<TablePolicy> sized_policy(std::uint32_t threads) const;
  Task<> reference_page(Thread& thread, const FutexKey& key);
  TableContext table_context(NodeId node) const {
    return {hardware_, parameters_.bucket, node, grace_period_, parameters_.static_buckets};
  }

  KernelParameters parameters_;
  Hardware& hardware_;
  Scheduler scheduler_;
  bool counts_waiters_;
  bool decrements_before_unlock_;
  Picoseconds system_call_;
  Picoseconds critical_section_;
  Picoseconds get_user_pages_;
  Picoseconds grace_period_;
  TimedHash hash_;         ///< of the chosen policy's table
  TimedHash global_hash_;  ///< of a global table beside private ones
  std::unique_ptr<SpinLock> spinlock_;
  PolicyChoice policy_choice_;
  std::unique_ptr<TablePolicy> policy_;  ///< the chosen one, perhaps without a number of buckets
  std::deque<Mm> mms_;
  Hashing global_;                ///< without a table until a key needs it
  std::vector<Hashing> private_;  ///< by process
  std::map<std::pair<std::uint64_t, std::uint64_t>, Word> page_refs_;  ///< by mm and page
  std::uint64_t acquires_ = 0;
  std::uint64_t releases_ = 0;
  std::vector<WaitHistogram> lock_waits_;
};

}  // namespace futexsim
