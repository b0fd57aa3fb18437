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

/// What a replication of a workload gives: a number, which rows of results have under this name.
struct Measure {
  std::string name = "ops_per_sec_per_thread";
  /// The workload goes on for ever, and its rate is measured once it is steady. Otherwise it ends,
  /// a replication is one run of it, and the number is the mean of its samples.
  bool is_steady = true;
};

/// A workload in one simulation: processes, threads and their programs. What it needs before that,
/// WorkloadOf finds in its static members, which hide these.
class RunningWorkload {
 public:
  virtual ~RunningWorkload() = default;

  static Placement place(const ThreadParameters& wanted, const Cursor& at,
                         const Topology& topology) {
    return Placement::of(wanted, at, topology);
  }
  static Measure measure() { return {}; }
  static constexpr bool uses_timers = false;

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

  /// As after many rounds: the line of the key's bucket lies where this thread has left it.
  static void place_line(const WorkloadContext& context, const Thread& thread, const FutexKey& key);
  /// The program begins within the time of one operation, and where threads share a CPU, in the
  /// midst of a time slice: nothing is in step.
  static void start_amid(const WorkloadContext& context, Thread& thread, Task<> program);

 private:
  std::deque<Thread> threads_;
  std::vector<std::uint64_t> by_thread_;
  std::uint64_t operations_ = 0;
  std::vector<double> samples_;
};

/// A program that threads run, as a config chooses it; immutable. Implementations register
/// themselves in Registry<Workload>.
class Workload {
 public:
  virtual ~Workload() = default;
  /// InputError at `at`, the workload, for what the machine has no place for.
  virtual Placement place(const Cursor& at, const Topology& topology) const = 0;
  virtual Measure measure() const = 0;
  /// Do its threads sleep for a time? Timers need an actor of the simulation.
  virtual bool uses_timers() const = 0;
  virtual std::unique_ptr<RunningWorkload> start(const WorkloadContext& context) const = 0;
};

/// A workload that runs as a `Running`, constructed from parameters and context.
template <class Running, class Parameters>
class WorkloadOf final : public Workload {
 public:
  explicit WorkloadOf(const Parameters& parameters) : parameters_(parameters) {}

  Placement place(const Cursor& at, const Topology& topology) const override {
    return Running::place(parameters_, at, topology);
  }
  Measure measure() const override { return Running::measure(); }
  bool uses_timers() const override { return Running::uses_timers; }
  std::unique_ptr<RunningWorkload> start(const WorkloadContext& context) const override {
    return std::make_unique<Running>(parameters_, context);
  }

  static std::unique_ptr<Workload> make(const Parameters& parameters) {
    return std::make_unique<WorkloadOf>(parameters);
  }

 private:
  Parameters parameters_;
};

using WorkloadChoice = Choice<Workload>;

}  // namespace futexsim
