#include "replication.hpp"

#include <algorithm>
#include <stdexcept>

#include "futexsim/engine/simulation.hpp"

namespace futexsim {
namespace {

constexpr std::uint64_t batches = 100;
constexpr std::uint64_t least_operations = 8000;
constexpr std::uint64_t least_operations_per_thread = 50;
/// After so many of the first batches costs and waits are recorded, however long it goes on.
constexpr std::uint64_t settled_batch = batches / 5;

/// The state at the end of a batch of operations.
struct Snapshot {
  Picoseconds time;
  std::vector<std::uint64_t> operations_by_thread;
};

double rate(std::uint64_t operations, Picoseconds time) {
  return static_cast<double>(operations) / in_seconds(time);
}

/// Warm-up by MSER-5 on the batches' rates: how many batches to drop.
std::size_t warm_up_batches(const std::vector<Snapshot>& snapshots, std::uint64_t batch) {
  std::vector<double> rates;
  for (std::size_t i = 1; i < snapshots.size(); ++i) {
    rates.push_back(rate(batch, snapshots[i].time - snapshots[i - 1].time));
  }
  return mser5(rates).truncation;
}

std::vector<double> thread_rates(const Snapshot& from, const Snapshot& to) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < from.operations_by_thread.size(); ++i) {
    rates.push_back(
        rate(to.operations_by_thread[i] - from.operations_by_thread[i], to.time - from.time));
  }
  return rates;
}

double mean_of(const std::vector<double>& values) {
  RunningMoments moments;
  for (const double value : values) moments.add(value);
  return moments.mean();
}

double relative_covariance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2) return 0;
  const double mean_a = mean_of(a);
  const double mean_b = mean_of(b);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - mean_a) * (b[i] - mean_b);
  return sum / static_cast<double>(a.size() - 1) / (mean_a * mean_b);
}

/// What the run had cost until now, all operations together.
Explanation cost_until_now(Hardware& hardware) {
  Explanation cost;
  for (const Cpu& cpu : hardware.cpus()) {
    cost.computing_ns += static_cast<double>(cpu.time().computing) / 1e3;
    cost.line_ns += static_cast<double>(cpu.time().line) / 1e3;
    cost.spinning_ns += static_cast<double>(cpu.time().spinning) / 1e3;
    cost.draining_ns += static_cast<double>(cpu.time().draining) / 1e3;
  }
  const TransferCounts& counts = hardware.memory().counts();
  for (std::size_t i = 0; i < distances; ++i) {
    cost.transfers[i] = static_cast<double>(counts.transfers[i]);
    cost.transfer_latency_ns[i] = static_cast<double>(counts.latency[i]) / 1e3;
  }
  cost.line_queueing_ns = static_cast<double>(counts.queueing) / 1e3;
  return cost;
}

/// A simulation of a point and all that it consists of.
class World {
 public:
  World(const Point& point, std::uint64_t index)
      : point_(point),
        random_(point.parameters().seed, "heap", index),
        cpus_(point.placement().cpus()),
        simulation_(actors(point)),
        hardware_(simulation_, point.machine(), cpus_),
        kernel_(point.kernel(), {point.parameters().policy, point.parameters().hash},
                point.machine(), hardware_),
        workload_(point.workload().start({kernel_, hardware_, point.placement(), random_})) {
    if (point.workload().measure().is_steady) {
      hardware_.start_stalls(RandomStream(point.parameters().seed, "stalls", index));
    }
  }

  Simulation& simulation() { return simulation_; }
  Hardware& hardware() { return hardware_; }
  Kernel& kernel() { return kernel_; }
  RunningWorkload& workload() { return *workload_; }

  /// What every replication tells.
  Replication report() const {
    Replication result;
    result.trace_hash = simulation_.trace_hash();
    result.events = simulation_.events();
    result.operations = workload_->operations();
    result.simulated = simulation_.now();
    for (const WaitHistogram& waits : kernel_.lock_waits()) result.waits.merge(waits);
    for (const Placement::ProcessGroup& group : point_.placement().groups) {
      const auto first = kernel_.lock_waits().begin() + group.first_process;
      WaitHistogram& waits = result.group_waits.emplace_back();
      std::for_each(first, first + group.processes, [&](const auto& of) { waits.merge(of); });
    }
    if (kernel_.replaces_tables()) {
      result.table = kernel_.table_life(workload_->threads().front().mm());
    }
    return result;
  }

 private:
  std::uint32_t actors(const Point& point) const {
    const auto cpus = static_cast<std::uint32_t>(cpus_.size());
    return cpus * Hardware::actors_per_cpu + Hardware::other_actors +
           (point.workload().uses_timers() ? 1 : 0);
  }

  const Point& point_;
  RandomStream random_;
  std::vector<CpuId> cpus_;
  Simulation simulation_;
  Hardware hardware_;
  Kernel kernel_;
  std::unique_ptr<RunningWorkload> workload_;
};

/// One run of a workload that ends, until its last thread has ended.
std::optional<Replication> run_once(World& world, const std::stop_token& stop) {
  constexpr std::uint64_t events_between_looks = 4096;
  while (world.simulation().step()) {
    if (world.simulation().events() % events_between_looks == 0 && stop.stop_requested()) {
      return std::nullopt;
    }
  }
  RunningWorkload& workload = world.workload();
  if (workload.samples().empty() || workload.operations() != workload.threads().size()) {
    throw std::logic_error("a thread sleeps for ever");
  }
  Replication result = world.report();
  result.samples = workload.samples();
  result.measured = mean_of(result.samples);
  const auto [first, last] = workload.futexes(0);
  result.threads.push_back({first, last, 0});
  return result;
}

/// Every second one, of batches twice as long.
void merge_pairs(std::vector<Snapshot>& snapshots) {
  for (std::size_t i = 1; 2 * i < snapshots.size(); ++i) {
    snapshots[i] = std::move(snapshots[2 * i]);
  }
  snapshots.resize((snapshots.size() + 1) / 2);
}

/// As long as the config says, and long enough for many stalls.
Picoseconds least_time(const Point& point) {
  constexpr std::int64_t stalls_seen = 10;
  const Picoseconds least = microseconds(point.parameters().least_us.value_or(0));
  const std::optional<StallParameters>& stalls = point.machine().parameters().stalls;
  if (!stalls || point.placement().cpus().size() < point.machine().topology().cpus()) return least;
  return std::max(least, Picoseconds{stalls->duration.scaled(1'000'000)} * stalls_seen);
}

/// A fixed number of operations of a workload that goes on for ever.
std::optional<Replication> run_steadily(const Point& point, World& world,
                                        const std::stop_token& stop) {
  RunningWorkload& workload = world.workload();
  std::uint64_t batch =
      std::max(least_operations, least_operations_per_thread * point.threads()) / batches;
  std::vector<Snapshot> snapshots{{{}, workload.operations_by_thread()}};
  Explanation warm_up_cost;
  std::uint64_t warm_up_operations = 0;
  const Picoseconds least = least_time(point);
  bool settled = false;
  while (snapshots.size() <= batches || world.simulation().now() < least) {
    if (snapshots.size() > 2 * batches) {
      merge_pairs(snapshots);
      batch *= 2;
    }
    if (stop.stop_requested()) return std::nullopt;
    while (workload.operations() < batch * snapshots.size()) {
      if (!world.simulation().step()) throw std::logic_error("deadlock: no thread can go on");
    }
    snapshots.push_back({world.simulation().now(), workload.operations_by_thread()});
    if (!settled && snapshots.size() == 1 + settled_batch) {
      settled = true;
      world.kernel().forget_lock_waits();
      warm_up_cost = cost_until_now(world.hardware());
      warm_up_operations = workload.operations();
    }
  }
  const std::size_t dropped = warm_up_batches(snapshots, batch);
  const std::size_t all = snapshots.size() - 1;
  const Snapshot& begin = snapshots[dropped];
  const Snapshot& middle = snapshots[(dropped + all) / 2];
  const Snapshot& end = snapshots.back();

  Replication result = world.report();
  result.measured = rate(batch * (all - dropped), end.time - begin.time) / point.threads();
  result.lasting_variance =
      relative_covariance(thread_rates(begin, middle), thread_rates(middle, end));
  result.explanation = cost_until_now(world.hardware()) - warm_up_cost;
  result.settled_operations = result.operations - warm_up_operations;
  const std::vector<double> rates = thread_rates(begin, end);
  for (std::uint32_t thread = 0; thread < point.threads(); ++thread) {
    const auto [first, last] = workload.futexes(thread);
    result.threads.push_back({first, last, rates[thread]});
  }
  return result;
}

}  // namespace

std::optional<Replication> replicate(const Point& point, std::uint64_t index,
                                     const std::stop_token& stop) {
  World world(point, index);
  return point.workload().measure().is_steady ? run_steadily(point, world, stop)
                                              : run_once(world, stop);
}

}  // namespace futexsim
