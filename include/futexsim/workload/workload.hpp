#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "futexsim/engine/random.hpp"
#include "futexsim/kernel/kernel.hpp"
#include "futexsim/kernel/thread.hpp"
#include "futexsim/parts/registry.hpp"
#include "futexsim/workload/placement.hpp"

namespace futexsim {

/// What a workload runs on.
struct WorkloadContext {
  Kernel& kernel;
  Hardware& hardware;
  const Placement& placement;
  RandomStream& random;  ///< of what differs from run to run: addresses, starting times
};

/// A workload in one simulation: processes, threads and their programs.
class RunningWorkload {
 public:
  virtual ~RunningWorkload() = default;

  std::uint64_t operations() const { return operations_; }
  /// Of the threads that are measured, as all these are.
  const std::vector<std::uint64_t>& operations_by_thread() const { return by_thread_; }
  std::deque<Thread>& threads() { return threads_; }
  /// Addresses of a thread's first and last futex.
  virtual std::pair<std::uint64_t, std::uint64_t> futexes(std::uint32_t thread) const = 0;
  /// Of a workload that ends: what its run measured, in the measure's unit; empty before its end.
  const std::vector<double>& samples() const { return samples_; }

 protected:
  /// Creates processes and threads, which don't run yet.
  explicit RunningWorkload(const WorkloadContext& context);

  void count_operation(const Thread& thread) {
    if (thread.number() >= by_thread_.size()) return;
    ++by_thread_[thread.number()];
    ++operations_;
  }
  void measured(double sample) { samples_.push_back(sample); }

 private:
  std::deque<Thread> threads_;
  std::vector<std::uint64_t> by_thread_;
  std::uint64_t operations_ = 0;
  std::vector<double> samples_;
};

/// What a replication of a workload gives: a number, which rows of results have under this name.
struct Measure {
  std::string name = "ops_per_sec_per_thread";
  /// The workload goes on for ever, and its rate is measured once it is steady. Otherwise it ends,
  /// a replication is one run of it, and the number is the mean of its samples.
  bool is_steady = true;
};

/// A program that threads run, as a config chooses it; immutable. Implementations register
/// themselves in Registry<Workload>.
class Workload {
 public:
  virtual ~Workload() = default;
  virtual const ThreadParameters& threads() const = 0;
  /// InputError at `at`, the workload, for what the machine has no place for.
  virtual Placement place(const Cursor& at, const Topology& topology) const {
    return Placement::of(threads(), at, topology);
  }
  virtual Measure measure() const { return {}; }
  /// Do its threads sleep for a time? Timers need an actor of the simulation.
  virtual bool uses_timers() const { return false; }
  virtual std::unique_ptr<RunningWorkload> start(const WorkloadContext& context) const = 0;
};

using WorkloadChoice = Choice<Workload>;

}  // namespace futexsim
