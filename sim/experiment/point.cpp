#include "futexsim/experiment/point.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "futexsim/engine/trace_hash.hpp"
#include "replication.hpp"

namespace futexsim {
namespace {

template <class Combine>
Explanation combine(const Explanation& a, const Explanation& b, Combine combine_numbers) {
  Explanation out;
  const auto apply = [&](double Explanation::*field) {
    out.*field = combine_numbers(a.*field, b.*field);
  };
  apply(&Explanation::computing_ns);
  apply(&Explanation::line_ns);
  apply(&Explanation::spinning_ns);
  apply(&Explanation::draining_ns);
  apply(&Explanation::line_queueing_ns);
  for (std::size_t i = 0; i < distances; ++i) {
    out.transfers[i] = combine_numbers(a.transfers[i], b.transfers[i]);
    out.transfer_latency_ns[i] =
        combine_numbers(a.transfer_latency_ns[i], b.transfer_latency_ns[i]);
  }
  return out;
}

/// A replication, if simulated time is long enough for it.
std::optional<Replication> replicate_in_range(const Point& point, std::uint64_t index,
                                              const std::stop_token& stop) {
  try {
    return replicate(point, index, stop);
  } catch (const std::overflow_error& error) {
    throw point.parameters().machine.error(
        "machine " + in_quotes(point.machine().name()) + ", on which " + error.what(),
        "a machine whose latencies are short enough for a run");
  }
}

/// The hash function must serve the policy's table, and the one that takes its place.
void check_hash(const PointParameters& parameters, const PolicyChoice& choice,
                const Cursor& config) {
  const nlohmann::json policy = choice.resolved();
  for (const nlohmann::json& table : {policy, policy.value("resize", nlohmann::json::object())}) {
    if (!table.contains("buckets")) continue;
    const std::uint32_t buckets = table.at("buckets").get<std::uint32_t>();
    const std::string refusal = parameters.hash.make()->refusal(buckets);
    if (refusal.empty()) continue;
    const std::string found = "hash function " + in_quotes(parameters.hash.name()) + " for " +
                              std::to_string(buckets) + " buckets";
    throw config.find("hash").value_or(config).error(found, refusal);
  }
}

void add_rates(std::vector<ThreadResult>& sums, const std::vector<ThreadResult>& threads) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i].ops_per_sec += threads[i].ops_per_sec;
}

void add_table(PointResult& result, const Replication& replication) {
  if (!replication.table) return;
  if (!result.table) result.table.emplace();
  result.table->buckets = replication.table->buckets;
  if (!replication.table->replaced_at) return;
  ++result.table->replacements;
  result.table->at_ns.add(in_nanoseconds(*replication.table->replaced_at));
}

/// perf's rel_stddev_stats(): the standard error of the mean, % of it.
double relative_error_pct(double variance, double count, double mean) {
  return mean == 0 ? 0 : 100 * std::sqrt(std::max(0.0, variance) / count) / mean;
}

}  // namespace

Explanation operator+(const Explanation& a, const Explanation& b) {
  return combine(a, b, [](double x, double y) { return x + y; });
}
Explanation operator-(const Explanation& a, const Explanation& b) {
  return combine(a, b, [](double x, double y) { return x - y; });
}
Explanation operator/(const Explanation& a, double divisor) {
  return combine(a, a, [divisor](double x, double) { return x / divisor; });
}

const Declaration<PointParameters>& PointParameters::declaration() {
  using P = PointParameters;
  static const auto declaration =
      Declaration<P>("experiment", "a point, or a sweep over points")
          .required("machine", &P::machine, {.help = "name in configs/machines, or a file"})
          .required("kernel", &P::kernel, {.help = "name in configs/kernels, or a file"})
          .required("policy", &P::policy, {.help = "which table private futexes hash into"})
          .optional("hash", &P::hash, {.help = "hash function; the kernel's own if absent"})
          .required("workload", &P::workload)
          .optional("seed", &P::seed, {.help = "of all randomness"})
          .optional("precision", &P::precision,
                    {.unit = "1",
                     .help = "relative half-width of the 95 % confidence interval at which "
                             "replications stop",
                     .min = 1e-4,
                     .max = 1})
          .optional("least_us", &P::least_us,
                    {.unit = "us",
                     .help = "simulated time that a replication lasts at least, where its number "
                             "of operations takes less",
                     .min = 1,
                     .max = 1'000'000});
  return declaration;
}

Point::Point(const Cursor& config, const Catalogue& catalogue)
    : parameters_(PointParameters::declaration().read(config)),
      machine_(catalogue.machine(parameters_.machine)),
      kernel_(catalogue.kernel(parameters_.kernel)),
      workload_(parameters_.workload.make()),
      placement_(workload_->place(config.at("workload"), machine_->topology())) {
  PathTimes{*machine_};
  const std::vector<std::string>& policies = kernel_->policies;
  if (std::find(policies.begin(), policies.end(), parameters_.policy.name()) == policies.end()) {
    config.at("policy").refuse("a policy that kernel " + kernel_->name +
                               " has: " + listed(policies));
  }
  const std::unique_ptr<TablePolicy> policy = parameters_.policy.make();
  policy->check(config.at("policy"), machine_->topology());
  if (policy->resizes() && !kernel_->grace_period) {
    config.at("policy").at("resize").refuse("a kernel whose file states a grace_period, as " +
                                            kernel_->name + " doesn't, or nothing");
  }
  if (!parameters_.hash) {
    parameters_.hash = policy->is_private() ? kernel_->private_hash : kernel_->global_hash;
  }
  // A number of buckets that differs from process to process is left to the kernel.
  const std::vector<std::uint32_t>& threads = placement_.threads_of_process;
  std::optional<PolicyChoice> of_all;
  std::set<std::string> sizes;
  for (const std::uint32_t count : std::set<std::uint32_t>(threads.begin(), threads.end())) {
    of_all = with_buckets(parameters_.policy, *kernel_, machine_->topology(), count);
    sizes.insert(of_all->resolved().dump());
    check_hash(parameters_, *of_all, config);
  }
  if (sizes.size() == 1) parameters_.policy = *of_all;
}

nlohmann::json Point::resolved() const {
  return PointParameters::declaration().write(parameters_);
}

StoppingRule stopping_rule(const Point& point) {
  constexpr std::uint64_t perf_runs = 10;  // bench_repeat
  StoppingRule rule{.precision = point.parameters().precision};
  if (!point.workload().measure().is_steady) rule.min_replications = perf_runs;
  return rule;
}

PointResult simulate(const Point& point, const std::stop_token& stop) {
  const StoppingRule rule = stopping_rule(point);
  PointResult result;
  RunningMoments rates;
  RunningMoments variances;
  result.group_waits.resize(point.placement().groups.size());
  RunningMoments samples;
  TraceHash trace;
  std::uint64_t explained = 0;
  while (!rule.enough(rates)) {
    std::optional<Replication> replication = replicate_in_range(point, rates.count(), stop);
    if (!replication) break;
    if (rates.count() == 0) {
      result.threads = std::move(replication->threads);
    } else {
      add_rates(result.threads, replication->threads);
    }
    rates.add(replication->measured);
    variances.add(replication->lasting_variance);
    trace.add(replication->trace_hash);
    result.events += replication->events;
    result.operations += replication->operations;
    result.simulated_ns += in_nanoseconds(replication->simulated);
    result.waits.merge(replication->waits);
    for (std::size_t i = 0; i < result.group_waits.size(); ++i) {
      result.group_waits[i].merge(replication->group_waits[i]);
    }
    result.explanation = result.explanation + replication->explanation;
    add_table(result, *replication);
    explained += replication->settled_operations;
    if (replication->samples.empty()) continue;
    RunningMoments& run = result.runs.emplace_back();
    for (const double sample : replication->samples) {
      run.add(sample);
      samples.add(sample);
    }
  }
  for (ThreadResult& thread : result.threads) {
    thread.ops_per_sec /= static_cast<double>(rates.count());
  }
  result.measured = confidence_interval(rates);
  result.precise = rule.precise(rates);
  result.replications = static_cast<std::uint32_t>(rates.count());
  result.plus_minus_pct =
      samples.count() == 0
          ? relative_error_pct(variances.mean(), static_cast<double>(point.threads()), 1)
          : relative_error_pct(samples.variance(), static_cast<double>(samples.count()),
                               samples.mean());
  result.trace_hash = trace.value();
  if (explained > 0) result.explanation = result.explanation / static_cast<double>(explained);
  return result;
}

}  // namespace futexsim
