#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "futexsim/engine/statistics.hpp"
#include "futexsim/experiment/catalogue.hpp"
#include "futexsim/hardware/machine.hpp"
#include "futexsim/kernel/kernel.hpp"
#include "futexsim/parts/declaration.hpp"
#include "futexsim/workload/workload.hpp"

namespace futexsim {

/// One point of an experiment as a config states it. A config file is this, and perhaps a sweep.
struct PointParameters {
  Cursor machine;           ///< name or path
  Cursor kernel;            ///< name or path
  PolicyChoice policy;      ///< {"name": "private", "buckets": 1024}
  HashChoice hash;          ///< "jhash2"
  WorkloadChoice workload;  ///< {"name": "futex-hash", "threads": 28}
  std::uint64_t seed = 1;
  double precision = 0.01;                     ///< relative half-width at which replications stop
  std::optional<std::uint32_t> least_us = {};  ///< that a replication lasts

  static const Declaration<PointParameters>& declaration();
};

/// A point that has been checked against its machine and kernel, ready to run. Immutable, and
/// safe to simulate from several threads.
class Point {
 public:
  /// InputError where the config asks for what the machine or the kernel hasn't got.
  Point(const Cursor& config, const Catalogue& catalogue);

  const PointParameters& parameters() const { return parameters_; }
  const Machine& machine() const { return *machine_; }
  const KernelParameters& kernel() const { return *kernel_; }
  const Placement& placement() const { return placement_; }
  const Workload& workload() const { return *workload_; }
  /// That are measured, of all processes.
  std::uint32_t threads() const { return placement_.measured(); }
  /// The same on a variant of its machine, which must have the same topology.
  Point on(std::shared_ptr<const Machine> variant) const {
    Point out = *this;
    out.machine_ = std::move(variant);
    return out;
  }
  Point with_seed(std::uint64_t seed) const {
    Point out = *this;
    out.parameters_.seed = seed;
    return out;
  }
  /// The config with every default filled in: self-contained.
  nlohmann::json resolved() const;

 private:
  PointParameters parameters_;
  std::shared_ptr<const Machine> machine_;
  std::shared_ptr<const KernelParameters> kernel_;
  std::shared_ptr<const Workload> workload_;
  Placement placement_;
};

/// Where an operation's time went, in nanoseconds of one thread, and which transfers it caused.
/// Counted from a fifth of a replication's least number of operations on.
struct Explanation {
  double computing_ns = 0;                              ///< hits in the own cache included
  double line_ns = 0;                                   ///< waiting for a line, its queue included
  double spinning_ns = 0;                               ///< on a copy that nobody changes yet
  double draining_ns = 0;                               ///< the store buffer
  std::array<double, distances> transfers{};            ///< per operation, by distance
  std::array<double, distances> transfer_latency_ns{};  ///< per operation, by distance
  double line_queueing_ns = 0;  ///< of line_ns, before the own transfer starts
};

Explanation operator+(const Explanation& a, const Explanation& b);
Explanation operator-(const Explanation& a, const Explanation& b);
Explanation operator/(const Explanation& a, double divisor);

/// One thread, for the benchmark's own output lines: its futexes in the first replication, its
/// rate over all of them.
struct ThreadResult {
  std::uint64_t first_address, last_address;
  double ops_per_sec;
};

/// What became of the tables of processes whose policy replaces them: the first process's.
struct TableReplacement {
  std::uint32_t replacements = 0;  ///< replications in which it happened
  RunningMoments at_ns;            ///< when, in those
  std::uint32_t buckets = 0;       ///< in use at the end of the last replication
};

struct PointResult {
  ConfidenceInterval measured;  ///< what the workload measures, 95 %, over replications
  bool precise = false;         ///< the wanted precision was reached
  std::uint32_t replications = 0;
  double plus_minus_pct = 0;  ///< what perf would print: standard error over threads, or over the
                              ///< samples of all runs, % of the mean
  std::uint64_t trace_hash = 0;
  std::uint64_t events = 0;
  std::uint64_t operations = 0;
  double simulated_ns = 0;
  WaitHistogram waits;  ///< for the bucket lock, after a fifth of the least number of operations
  std::vector<WaitHistogram> group_waits;  ///< of Placement::groups
  Explanation explanation;                 ///< of a steady workload
  std::optional<TableReplacement> table;   ///< only for policies that replace it
  std::vector<ThreadResult> threads;
  std::vector<RunningMoments> runs;  ///< samples of each, of a workload that ends
};

/// When replications of a point are enough. Of a workload that ends there are at least ten, the
/// number of runs that perf makes.
StoppingRule stopping_rule(const Point& point);

/// Simulates independent replications (each with its own heap, keys and starting places) until
/// the mean is precise. Deterministic in the point alone, unless `stop` ends it early. InputError
/// when the machine's latencies take simulated time out of its range.
PointResult simulate(const Point& point, const std::stop_token& stop = {});

}  // namespace futexsim
