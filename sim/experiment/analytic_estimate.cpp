#include "futexsim/experiment/analytic_estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string_view>

#include "futexsim/analytic/closed_network.hpp"
#include "futexsim/analytic/large_table.hpp"
#include "futexsim/experiment/version.hpp"
#include "json_cell.hpp"
#include "kernel_steps.hpp"
#include "mean_transfers.hpp"

namespace futexsim {
namespace {

/// What the estimate knows of a table policy.
struct KnownPolicy {
  std::string_view name;
  enum class Home { main_node, dealt, each_node } home;
  bool counted = false;  ///< two atomics and three loads of one line, in each operation
};
constexpr std::array known_policies{
    KnownPolicy{.name = "private", .home = KnownPolicy::Home::main_node},
    KnownPolicy{.name = "immutable", .home = KnownPolicy::Home::main_node},
    KnownPolicy{.name = "resizable", .home = KnownPolicy::Home::main_node, .counted = true},
    KnownPolicy{.name = "global", .home = KnownPolicy::Home::dealt},
    KnownPolicy{.name = "global-per-node", .home = KnownPolicy::Home::each_node},
};

[[noreturn]] void refuse(const Point& point, const std::string& found, const std::string& allowed) {
  throw point.parameters().machine.error("--method analytic with " + found,
                                         allowed + ", or --method simulation");
}

const KnownPolicy& known_policy(const Point& point) {
  const std::string& name = point.parameters().policy.name();
  std::vector<std::string> names;
  for (const KnownPolicy& policy : known_policies) {
    if (policy.name == name) return policy;
    names.emplace_back(policy.name);
  }
  refuse(point, "the policy " + in_quotes(name), listed(names));
}

/// Futexes of a thread of the benchmark.
double futexes_of(const nlohmann::json& workload) {
  return workload.at("futexes_per_thread").get<double>();
}

void check_workload(const Point& point, const nlohmann::json& workload) {
  const std::string name = workload.at("name");
  if (name != "futex-hash") refuse(point, "the workload " + in_quotes(name), "futex-hash");
  if (workload.at("processes") != 1) refuse(point, "several processes", "one process");
  if (workload.at("shared") == true) refuse(point, "process-shared futexes", "private ones");
  if (workload.at("futex2_numa") == true) refuse(point, "futex2_numa", "futexes of no node");
  if (point.placement().cpus().size() != point.threads()) {
    refuse(point, "more threads than CPUs", "a CPU for each thread");
  }
}

void check_policy(const Point& point, const nlohmann::json& policy) {
  if (!policy.value("resize", nlohmann::json()).is_null()) {
    refuse(point, "a resize", "a table that stays");
  }
  if (policy.value("mempolicy", "local") != "local") {
    refuse(point, "a mempolicy", "a table on the main thread's node");
  }
}

void check_kernel(const Point& point) {
  const std::string& lock = point.kernel().spinlock.name();
  if (lock != "qspinlock") refuse(point, "the lock " + in_quotes(lock), "qspinlock");
  const std::uint32_t line = point.machine().parameters().memory.line_bytes;
  BucketLayout layout = point.kernel().bucket;
  layout.cacheline_aligned =
      point.resolved().at("policy").value("aligned", layout.cacheline_aligned);
  if (bucket_stride(layout, line) < line) {
    refuse(point, "buckets that share lines", "a line for each bucket");
  }
}

/// Where the table's pages lie: models/kernel/page_placement.hpp and policy_*.cpp.
LineHomes homes_of(const Point& point, const KnownPolicy& policy, double buckets) {
  const std::uint32_t nodes = point.machine().topology().nodes();
  LineHomes homes{.share = std::vector<double>(nodes), .lines = buckets};
  if (policy.home == KnownPolicy::Home::main_node) {
    homes.share[point.placement().main_nodes.front().value] = 1;
    return homes;
  }
  std::uint32_t used = nodes;
  if (policy.home == KnownPolicy::Home::dealt) {
    const double bytes = buckets * bucket_stride(point.kernel().bucket,
                                                 point.machine().parameters().memory.line_bytes);
    constexpr double page = 4096;
    used = static_cast<std::uint32_t>(std::min<double>(std::ceil(bytes / page), nodes));
  }
  std::fill_n(homes.share.begin(), used, 1.0 / used);
  return homes;
}

/// Threads that are equally fast: with as many siblings that run a thread too, on a node whose
/// clock is that of as many cores in use.
struct EqualThreads {
  std::size_t siblings;
  double turbo;
  auto operator<=>(const EqualThreads&) const = default;
};
std::map<EqualThreads, double> equal_threads(const Point& point) {
  const Topology& topology = point.machine().topology();
  std::map<CoreId, std::size_t> on_core;
  for (const CpuId cpu : point.placement().cpus()) ++on_core[topology.core_of(cpu)];
  std::map<NodeId, std::uint32_t> cores_in_use;
  for (const auto& [core, threads] : on_core) ++cores_in_use[topology.node_of(core)];
  std::map<EqualThreads, double> out;
  for (const auto& [core, threads] : on_core) {
    const std::int64_t per_mille =
        point.machine().turbo_per_mille(cores_in_use[topology.node_of(core)]);
    out[{threads - 1, static_cast<double>(per_mille) / 1000}] += static_cast<double>(threads);
  }
  return out;
}

/// Mean speed of a thread, each of whose siblings computes for that part of its time.
double speed(const std::vector<Quantity>& by_computing_siblings, std::size_t siblings,
             double computing) {
  if (computing >= 1) return siblings == 0 ? 1 : by_computing_siblings[siblings - 1].value;
  // Binomial: the probability that k of them compute.
  double mean = 0;
  double probability = std::pow(1 - computing, static_cast<double>(siblings));
  for (std::size_t k = 0; k <= siblings; ++k) {
    mean += probability * (k == 0 ? 1 : by_computing_siblings[k - 1].value);
    probability *= static_cast<double>(siblings - k) / static_cast<double>(k + 1) * computing /
                   (1 - computing);
  }
  return mean;
}

/// Against the simulation, on the published rows that this can estimate: 97 without much waiting,
/// 106 with, 6 resizable ones. A test compares these figures with configs/validated.csv.
Estimate::Error measured_error(const Estimate& estimate, bool counted) {
  if (counted) return {.median = 0.32, .worst = 0.43};
  const double cycle = 1e9 / estimate.ops_per_sec_per_thread;
  if (estimate.waiting < 0.1 * cycle) return {.median = 0.006, .worst = 0.1};
  return {.median = 0.066, .worst = 0.47};
}

/// The point's network, solved for one assumption on how much the threads compute.
class Model {
 public:
  explicit Model(const Point& point)
      : point_(point),
        policy_(known_policy(point)),
        threads_(equal_threads(point)),
        steps_(point.kernel(), point.machine()) {
    const nlohmann::json config = point.resolved();
    check_workload(point, config.at("workload"));
    check_policy(point, config.at("policy"));
    check_kernel(point);
    const double parts =
        policy_.home == KnownPolicy::Home::each_node ? point.machine().topology().nodes() : 1;
    buckets_ = parts * config.at("policy").at("buckets").get<double>();
    kept_ = kept_probability(futexes_of(config.at("workload")), point.threads(), buckets_);
    const Machine& machine = point.machine();
    const LineHomes homes = homes_of(point, policy_, buckets_);
    bucket_ = mean_transfers(machine, point.placement().cpus(), homes);
    local_ = in_nanoseconds(PathTimes(machine).futex_wait +
                            machine.cycles(point.parameters().hash.make()->cycles()));
  }

  /// Solves until the part of the time that threads compute is the one that was assumed. The rest
  /// of an operation depends on it little, so two or three rounds do.
  Estimate solved() {
    double computing = 1;
    for (int round = 0; round < 20; ++round) {
      const double rest = solve_for(computing);
      const double next = computing_beside(rest);
      if (std::abs(next - computing) < 1e-4) break;
      computing = next;
    }
    estimate_.error = measured_error(estimate_, policy_.counted);
    return estimate_;
  }

 private:
  /// Work of an operation, alone on a core.
  double work() const { return local_ + steps_.compute_at_bucket(); }

  double speed_of(const EqualThreads& threads, double computing) const {
    return threads.turbo *
           speed(point_.machine().parameters().smt_speed, threads.siblings, computing);
  }

  /// Mean time over the threads for what takes 1 alone on a core.
  double slowness(double computing) const {
    double sum = 0;
    for (const auto& [threads, count] : threads_) sum += count / speed_of(threads, computing);
    return sum / point_.threads();
  }

  /// The part of its time that a thread computes, if an operation takes so much beside.
  double computing_beside(double rest) const {
    double computing = 1;
    for (int i = 0; i < 50; ++i) {
      const double busy = work() * slowness(computing);
      computing = std::clamp(busy / (busy + rest), 0.0, 1.0);
    }
    return computing;
  }

  /// Fills in the estimate; returns the time of an operation in which its thread doesn't compute.
  double solve_for(double computing) {
    const double slow = slowness(computing);
    estimate_.think = local_ * slow;
    estimate_.transfer = bucket_.write;
    estimate_.kept = kept_;
    estimate_.lone_service =
        steps_.compute_at_bucket() * slow + (1 - kept_) * steps_.lone_transfers(bucket_);
    estimate_.pending_service = steps_.pending_service(bucket_);
    estimate_.queued_service = steps_.queued_service(bucket_);
    ClosedNetwork network{
        .customers = point_.threads(),
        .delay = estimate_.think,
        .classes = {{.stations = static_cast<std::uint32_t>(buckets_),
                     .service = {estimate_.lone_service, estimate_.pending_service,
                                 estimate_.queued_service}}}};
    if (policy_.counted) add_counter(network);
    const double cycle = solve(network).cycle(network);
    estimate_.waiting =
        cycle - estimate_.think - estimate_.lone_service - estimate_.counter_service;
    // The network's customers are alike; a thread alone on its core is faster by its own work.
    double rate = 0;
    for (const auto& [threads, count] : threads_) {
      rate += count / (cycle + work() * (1 / speed_of(threads, computing) - slow));
    }
    estimate_.ops_per_sec_per_thread = 1e9 * rate / point_.threads();
    return std::max(0.0, cycle - work() * slow);
  }

  /// One more station: the line of the reference count.
  void add_counter(ClosedNetwork& network) {
    if (point_.threads() == 1) return;
    const LineHomes one_line{.share = homes_of(point_, policy_, 1).share, .lines = 1};
    const MeanTransfers line = mean_transfers(point_.machine(), point_.placement().cpus(), one_line,
                                              NextOwner::below_same_l3_first);
    estimate_.counter_service = steps_.counter_service(line);
    network.classes.push_back({.service = {estimate_.counter_service}});
  }

  const Point& point_;
  const KnownPolicy& policy_;
  std::map<EqualThreads, double> threads_;
  KernelSteps steps_;
  double buckets_ = 0;
  double kept_ = 0;
  double local_ = 0;
  MeanTransfers bucket_;
  Estimate estimate_;
};

}  // namespace

Estimate estimate(const Point& point) {
  try {
    return Model(point).solved();
  } catch (const std::domain_error&) {
    refuse(point, "times that a double can't hold", "latencies of a real machine");
  }
}

nlohmann::ordered_json estimate_row(const Point& point, const Estimate& estimate) {
  const nlohmann::ordered_json unknown;
  return {{"config", nlohmann::ordered_json(point.resolved())},
          {"seed", point.parameters().seed},
          {"version", version()},
          {"method", "analytic"},
          {"trace_hash", unknown},
          {"ops_per_sec_per_thread", finite(estimate.ops_per_sec_per_thread)},
          {"half_width", unknown},
          {"precise", unknown},
          {"plus_minus_pct", unknown},
          {"events", unknown},
          {"operations", unknown},
          {"simulated_ns", unknown},
          {"wait_ns", {{"p50", unknown}, {"p99", unknown}, {"p999", unknown}, {"max", unknown}}},
          {"estimate",
           {{"think_ns", estimate.think},
            {"transfer_ns", estimate.transfer},
            {"kept", estimate.kept},
            {"lone_service_ns", estimate.lone_service},
            {"pending_service_ns", estimate.pending_service},
            {"queued_service_ns", estimate.queued_service},
            {"counter_service_ns", estimate.counter_service},
            {"waiting_ns", estimate.waiting},
            {"error_against_simulation",
             {{"median", estimate.error.median}, {"worst", estimate.error.worst}}}}}};
}

}  // namespace futexsim
