#include "futexsim/experiment/perf_futex.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iomanip>
#include <sstream>

#include "futexsim/experiment/text_table.hpp"
#include "futexsim/kernel/sizing.hpp"
#include "futexsim/parts/nearest_name.hpp"
#include "perf_benchmarks.hpp"

namespace futexsim {
namespace {

/// False for a name that no policy has, too.
bool is_a_policy(const std::string& name, bool is_private) {
  const auto* entry = PolicyChoice::Parts::instance().find(name);
  return entry != nullptr && PolicyChoice(name).make()->is_private() == is_private;
}
bool is_private(const std::string& policy) {
  return is_a_policy(policy, true);
}

/// The policies of a kernel by the part that perf's options give them.
struct KernelPolicies {
  std::string kernel;
  std::string global;
  std::string of_process;  ///< empty where there is none
  std::string immutable;   ///< empty where there is none

  explicit KernelPolicies(const KernelParameters& parameters) : kernel(parameters.name) {
    for (const std::string& name : parameters.policies) {
      const std::unique_ptr<TablePolicy> policy = PolicyChoice(name).make();
      std::string& part = policy->is_immutable() ? immutable
                          : policy->is_private() ? of_process
                                                 : global;
      if (part.empty()) part = name;
    }
  }
};

std::vector<std::string> kernels_with_immutable_tables(const Catalogue& catalogue) {
  std::vector<std::string> out;
  for (const std::string& name : catalogue.kernels()) {
    const Document config("kernels", name);
    if (!KernelPolicies(*catalogue.kernel(config.cursor())).immutable.empty()) out.push_back(name);
  }
  return out;
}

/// Which policy -b and -I mean, before --policy has its say. `slots`: what the process's system
/// calls gave it, where the kernel's file says how.
std::string policy_meant(const PerfFutexOptions& options, const KernelPolicies& kernel,
                         std::optional<std::uint32_t> slots, const Catalogue& catalogue) {
  if (options.immutable) {
    if (options.buckets <= 0) {
      throw perf_refusal("-I", "no number of buckets", "-I together with -b N, N at least 1");
    }
    if (kernel.immutable.empty()) {
      throw perf_refusal("-I", "kernel " + in_quotes(kernel.kernel),
                         "a kernel that has immutable tables: " +
                             listed(kernels_with_immutable_tables(catalogue)));
    }
    return kernel.immutable;
  }
  if (options.buckets == 0) return kernel.global;
  if (kernel.of_process.empty() && options.buckets > 0) {
    throw perf_refusal("-b", "kernel " + in_quotes(kernel.kernel),
                       "a kernel that has private tables; this one takes -b 0 or -b -1");
  }
  const bool fell_back = options.buckets < 0 && slots == 0U;
  return kernel.of_process.empty() || fell_back ? kernel.global : kernel.of_process;
}

/// --policy, once it agrees with -b and -I.
std::string policy_chosen(const PerfFutexOptions& options, const KernelPolicies& kernel,
                          std::optional<std::uint32_t> slots, const Catalogue& catalogue) {
  std::string meant = policy_meant(options, kernel, slots, catalogue);
  if (!options.policy) return meant;
  const std::string& wanted = *options.policy;
  const std::string found = in_quotes(wanted);
  if (options.immutable && wanted != kernel.immutable) {
    throw perf_refusal("--policy", found + " beside -I",
                       in_quotes(kernel.immutable) + ", or no -I");
  }
  if (options.buckets == 0 && is_private(wanted)) {
    throw perf_refusal("--policy", found + " beside -b 0", "a global policy, or another -b");
  }
  if (options.buckets > 0 && is_global(wanted)) {
    throw perf_refusal("--policy", found + " beside -b " + std::to_string(options.buckets),
                       "a private policy, or -b 0");
  }
  return wanted;
}

/// perf's futex_set_nbuckets_param() (v6.16): what it prints before it gives up.
InputError request_failed(const PerfFutexOptions& options, const KernelParameters& kernel,
                          int failure) {
  const std::string buckets = std::to_string(options.buckets);
  return perf_refusal(
      "-b",
      "\"Requesting " + buckets + " hash buckets failed: -1/" + std::strerror(-failure) + "\"",
      failure == -ENOMEM ? "a table that finds memory, as none does with "
                           "fail_allocation in kernel " +
                               kernel.name
                         : "what prctl(PR_FUTEX_HASH) of kernel " + kernel.name +
                               " takes: 0 or a power of two from 2 on, where private "
                               "hashes are configured; or -1");
}

/// The slots of perf's process once its threads run: it asks for a table, and then clones. Nothing
/// where the kernel's file doesn't say how a process gets one, or perf's -b isn't this kernel's.
std::optional<std::uint32_t> slots_of_process(const PerfFutexOptions& options,
                                              const KernelParameters& kernel,
                                              const Topology& topology, std::int64_t threads) {
  if (!kernel.hash_control) return std::nullopt;
  const std::unique_ptr<SizingRule> automatic =
      (kernel.private_sizing ? kernel.private_sizing : kernel.global_sizing).make();
  const std::unique_ptr<HashControl> control = kernel.hash_control.make({topology, *automatic});
  if (options.buckets >= 0) {
    const std::optional<int> option = control->option_of_perf();
    if (!option) return std::nullopt;
    const int answer =
        control->prctl(*option, HashControl::set_slots, static_cast<std::uint64_t>(options.buckets),
                       options.immutable ? HashControl::flag_immutable : 0);
    if (answer < 0) throw request_failed(options, kernel, answer);
  }
  constexpr std::int64_t most_threads = 65536;
  for (std::int64_t i = 0; i < std::min(threads, most_threads); ++i) {
    if (const int answer = control->clone(); answer < 0) {
      throw perf_refusal("--kernel",
                         std::string("\"pthread_create: ") + std::strerror(-answer) + "\"",
                         "a kernel without fail_allocation");
    }
  }
  control->futex_operation();
  return control->slots();
}

/// One for each CPU.
std::int64_t default_threads(const Cursor& workload, const std::string& placement,
                             const Topology& topology) {
  ThreadParameters wanted;
  wanted.threads = topology.cpus();
  wanted.placement = placement;
  return static_cast<std::int64_t>(Placement::of(wanted, workload, topology).cpus().size());
}

}  // namespace

const std::vector<PerfOption>& perf_common_options() {
  using P = PerfFutexOptions;
  static const std::vector<PerfOption> options{
      {"threads,t", "N", "threads; 0, the default: one for each CPU", &P::threads},
      {"buckets,b", "N",
       "buckets of a private table; 0: the global table; -1, the default: what the kernel does by "
       "itself",
       &P::buckets, -1},
      {"immutable,I", "", "a private table that can't be resized", &P::immutable},
      {"shared,S", "", "process-shared futexes, which hash into the global table", &P::shared},
      {"silent,s", "", "no line for each thread or run", &P::silent},
      {"mlockall,m", "", "changes nothing: simulated memory is always there", &P::mlockall}};
  return options;
}

const std::vector<const PerfBenchmark*>& perf_benchmarks() {
  static const std::vector<const PerfBenchmark*> all{
      &perf_hash_benchmark(), &perf_wake_benchmark(), &perf_wake_parallel_benchmark(),
      &perf_requeue_benchmark(), &perf_lock_pi_benchmark()};
  return all;
}

std::string perf_title(const PerfBenchmark& benchmark) {
  return "# Running 'futex/" + std::string(benchmark.name()) + "' benchmark:\n";
}

std::string perf_title_of_many(const PerfBenchmark& benchmark) {
  return "# Running futex/" + std::string(benchmark.name()) + " benchmark...\n";
}

std::string perf_report(const Point& point, const PointResult& result) {
  const PerfBenchmark& benchmark = perf_benchmark_of(point);
  const PerfFutexOptions options = benchmark.options_of(point);
  return perf_title(benchmark) + benchmark.heading(options, point) +
         benchmark.findings(options, point, result);
}

const PerfBenchmark& perf_benchmark_of(const Point& point) {
  const std::string& workload = point.parameters().workload.name();
  for (const PerfBenchmark* benchmark : perf_benchmarks()) {
    if (benchmark->workload() == workload) return *benchmark;
  }
  throw perf_refusal("--format", "\"perf\" for workload " + in_quotes(workload),
                     "a workload that perf bench has, or another format");
}

InputError perf_refusal(const std::string& option, const std::string& found,
                        const std::string& allowed) {
  return {{.source = option}, found, allowed};
}

std::shared_ptr<const KernelParameters> perf_kernel(const PerfFutexOptions& options,
                                                    const Catalogue& catalogue) {
  Document config("perf bench futex");
  config.set("/kernel", options.kernel, "--kernel");
  return catalogue.kernel(config.cursor().at("kernel"));
}

std::shared_ptr<const Machine> perf_machine(const PerfFutexOptions& options,
                                            const Catalogue& catalogue) {
  Document config("perf bench futex");
  config.set("/machine", options.machine, "--machine");
  return catalogue.machine(config.cursor().at("machine"));
}

Document perf_config(const PerfBenchmark& benchmark, const PerfFutexOptions& options,
                     const Catalogue& catalogue) {
  if (options.buckets < -1) {
    throw perf_refusal("-b", std::to_string(options.buckets), "-1 (automatic), 0 (global) or more");
  }
  const std::string command = "perf bench futex " + std::string(benchmark.name());
  const std::string placement = options.placement.value_or("all");
  Document config(command);
  config.set("/machine", options.machine, "--machine");
  config.set("/kernel", options.kernel, "--kernel");
  config.set("/workload/name", std::string(benchmark.workload()), command);
  config.set("/workload/shared", options.shared, "--shared");
  config.set("/workload/placement", placement, "--placement");
  const auto machine = catalogue.machine(config.cursor().at("machine"));
  const auto kernel = catalogue.kernel(config.cursor().at("kernel"));
  const std::int64_t threads =
      options.threads == 0
          ? default_threads(config.cursor().at("workload"), placement, machine->topology())
          : options.threads;
  config.set("/workload/threads", threads, "--threads");

  const KernelPolicies policies(*kernel);
  const auto slots = slots_of_process(options, *kernel, machine->topology(), threads);
  const std::string policy = policy_chosen(options, policies, slots, catalogue);
  config.set("/policy/name", policy, options.policy ? "--policy" : "--kernel");
  if (options.buckets > 0) config.set("/policy/buckets", options.buckets, "--buckets");
  if (options.hash) config.set("/hash", *options.hash, "--hash");
  if (options.seed) config.set("/seed", *options.seed, "--seed");
  if (options.precision) config.set("/precision", *options.precision, "--precision");
  return config;
}

Document perf_config_of_runs(const PerfBenchmark& benchmark, const PerfFutexOptions& options,
                             const Catalogue& catalogue) {
  PerfFutexOptions ten_runs = options;
  ten_runs.precision = options.precision.value_or(1);
  return perf_config(benchmark, ten_runs, catalogue);
}

PerfFutexOptions perf_common_options_of(const Point& point) {
  const PolicyChoice& choice = point.parameters().policy;
  const std::unique_ptr<TablePolicy> policy = choice.make();
  PerfFutexOptions options;
  options.threads = workload_number(point, "threads");
  options.buckets = policy->is_private() ? std::int64_t{policy->buckets().value()} : 0;
  options.immutable = policy->is_immutable();
  options.shared = workload_value(point, "shared").get<bool>();
  options.machine = point.machine().name();
  options.kernel = point.kernel().name;
  options.placement = workload_value(point, "placement").get<std::string>();
  options.policy = choice.name();
  options.seed = point.parameters().seed;
  options.precision = point.parameters().precision;
  return options;
}

bool is_global(const std::string& policy) {
  return is_a_policy(policy, false);
}

std::string perf_hashing_line(const PerfFutexOptions& options, const Point& point,
                              const PointResult& result) {
  const PolicyChoice& choice = point.parameters().policy;
  const std::unique_ptr<TablePolicy> policy = choice.make();
  const std::uint32_t of_policy = policy->is_private() ? policy->buckets().value() : 0;
  const std::uint32_t in_usage = result.table ? result.table->buckets : of_policy;
  const std::string buckets = std::to_string(in_usage);
  if (options.buckets >= 0 && options.buckets != in_usage) {
    return "Requested number of hash buckets does not currently used.\nRequested: " +
           std::to_string(options.buckets) + " in usage: " + buckets + "\n";
  }
  const std::string prefix = "Futex hashing: ";
  if (in_usage == 0) return prefix + "global hash\n";
  if (options.buckets < 0) return prefix + "auto resized to " + buckets + " buckets\n";
  return prefix + buckets + " hash buckets " + (policy->is_immutable() ? "(immutable)" : "") + "\n";
}

std::string perf_summary(const Point& point) {
  return "Run summary [PID " + std::to_string(point.parameters().seed) + "]: ";
}

nlohmann::json workload_value(const Point& point, const char* name) {
  return point.parameters().workload.resolved().at(name);
}

std::int64_t workload_number(const Point& point, const char* name) {
  return workload_value(point, name).get<std::int64_t>();
}

std::string sharing(const Point& point) {
  return workload_value(point, "shared").get<bool>() ? "shared" : "private";
}

std::string hexadecimal(std::uint64_t address) {
  std::ostringstream out;
  out << "0x" << std::hex << address;
  return out.str();
}

std::int64_t whole(double value) {
  return static_cast<std::int64_t>(value);
}

std::string perf_rates(const PerfFutexOptions& options, const PointResult& result, int thread_width,
                       const std::function<std::string(const ThreadResult&)>& futexes) {
  std::ostringstream out;
  for (std::size_t i = 0; i < result.threads.size() && !options.silent; ++i) {
    const ThreadResult& thread = result.threads[i];
    out << "[thread " << std::setw(thread_width) << i << "] " << futexes(thread) << " [ "
        << whole(thread.ops_per_sec) << " ops/sec ]\n";
  }
  out << (options.silent ? "" : "\n") << "Averaged " << whole(result.measured.mean)
      << " operations/sec (+- " << fixed(result.plus_minus_pct, 2)
      << "%), total secs = " << options.runtime << "\n";
  return out.str();
}

std::string average_ms(double mean, double plus_minus_pct) {
  return fixed(mean, 4) + " ms (+-" + fixed(plus_minus_pct, 2) + "%)";
}

double plus_minus_pct_of(const RunningMoments& samples) {
  if (samples.mean() == 0) return 0;
  return 100 * std::sqrt(samples.variance() / static_cast<double>(samples.count())) /
         samples.mean();
}

}  // namespace futexsim
