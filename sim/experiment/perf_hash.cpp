#include "futexsim/experiment/perf_hash.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iomanip>
#include <sstream>

#include "futexsim/experiment/text_table.hpp"
#include "futexsim/parts/document.hpp"
#include "futexsim/parts/nearest_name.hpp"
#include "futexsim/workload/futex_hash.hpp"

namespace futexsim {
namespace {

/// False for a name that no policy has, too.
bool is_a_policy(const std::string& name, bool is_private) {
  const auto* entry = PolicyChoice::Parts::instance().find(name);
  return entry != nullptr && PolicyChoice(name).make()->is_private() == is_private;
}
bool is_global(const std::string& policy) {
  return is_a_policy(policy, false);
}
bool is_private(const std::string& policy) {
  return is_a_policy(policy, true);
}

InputError refusal(const std::string& option, const std::string& found,
                   const std::string& allowed) {
  return {{.source = option}, found, allowed};
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
std::string policy_meant(const PerfHashOptions& options, const KernelPolicies& kernel,
                         std::optional<std::uint32_t> slots, const Catalogue& catalogue) {
  if (options.immutable) {
    if (options.buckets <= 0) {
      throw refusal("-I", "no number of buckets", "-I together with -b N, N at least 1");
    }
    if (kernel.immutable.empty()) {
      throw refusal("-I", "kernel " + in_quotes(kernel.kernel),
                    "a kernel that has immutable tables: " +
                        listed(kernels_with_immutable_tables(catalogue)));
    }
    return kernel.immutable;
  }
  if (options.buckets == 0) return kernel.global;
  if (kernel.of_process.empty() && options.buckets > 0) {
    throw refusal("-b", "kernel " + in_quotes(kernel.kernel),
                  "a kernel that has private tables; this one takes -b 0 or -b -1");
  }
  const bool fell_back = options.buckets < 0 && slots == 0U;
  return kernel.of_process.empty() || fell_back ? kernel.global : kernel.of_process;
}

/// --policy, once it agrees with -b and -I.
std::string policy_chosen(const PerfHashOptions& options, const KernelPolicies& kernel,
                          std::optional<std::uint32_t> slots, const Catalogue& catalogue) {
  std::string meant = policy_meant(options, kernel, slots, catalogue);
  if (!options.policy) return meant;
  const std::string& wanted = *options.policy;
  const std::string found = in_quotes(wanted);
  if (options.immutable && wanted != kernel.immutable) {
    throw refusal("--policy", found + " beside -I", in_quotes(kernel.immutable) + ", or no -I");
  }
  if (options.buckets == 0 && is_private(wanted)) {
    throw refusal("--policy", found + " beside -b 0", "a global policy, or another -b");
  }
  if (options.buckets > 0 && is_global(wanted)) {
    throw refusal("--policy", found + " beside -b " + std::to_string(options.buckets),
                  "a private policy, or -b 0");
  }
  return wanted;
}

/// perf's futex_set_nbuckets_param() (v6.16): what it prints before it gives up.
InputError request_failed(const PerfHashOptions& options, const KernelParameters& kernel,
                          int failure) {
  const std::string buckets = std::to_string(options.buckets);
  return refusal(
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
std::optional<std::uint32_t> slots_of_process(const PerfHashOptions& options,
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
      throw refusal("--kernel", std::string("\"pthread_create: ") + std::strerror(-answer) + "\"",
                    "a kernel without fail_allocation");
    }
  }
  control->futex_operation();
  return control->slots();
}

std::int64_t whole(double value) {
  return static_cast<std::int64_t>(value);
}

/// One for each CPU.
std::int64_t default_threads(const Cursor& workload, const std::string& placement,
                             const Topology& topology) {
  ThreadParameters wanted;
  wanted.threads = topology.cpus();
  wanted.placement = placement;
  return static_cast<std::int64_t>(Placement::of(wanted, workload, topology).cpus().size());
}

FutexHashParameters workload_of(const Point& point) {
  const WorkloadChoice& workload = point.parameters().workload;
  const std::string& benchmark = FutexHashParameters::declaration().name();
  if (workload.name() != benchmark) {
    throw workload.cursor().error("workload " + in_quotes(workload.name()) + " in perf's format",
                                  in_quotes(benchmark) + ", or another format");
  }
  return FutexHashParameters::declaration().read(workload.cursor(), part_name_key);
}

/// What perf's futex_print_nbuckets() says (v6.16).
std::string hashing(const PerfHashOptions& options, const Point& point, const PointResult& result) {
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

}  // namespace

Point perf_hash_point(const PerfHashOptions& options, const Catalogue& catalogue) {
  if (options.buckets < -1) {
    throw refusal("-b", std::to_string(options.buckets), "-1 (automatic), 0 (global) or more");
  }
  Document config("perf bench futex hash");
  config.set("/machine", options.machine, "--machine");
  config.set("/kernel", options.kernel, "--kernel");
  config.set("/workload/name", "futex-hash", "perf bench futex hash");
  config.set("/workload/shared", options.shared, "--shared");
  config.set("/workload/placement", options.placement, "--placement");
  config.set("/workload/futexes_per_thread", options.futexes, "--futexes");
  const auto machine = catalogue.machine(config.cursor().at("machine"));
  const auto kernel = catalogue.kernel(config.cursor().at("kernel"));
  const std::int64_t threads =
      options.threads == 0
          ? default_threads(config.cursor().at("workload"), options.placement, machine->topology())
          : options.threads;
  config.set("/workload/threads", threads, "--threads");

  const KernelPolicies policies(*kernel);
  const auto slots = slots_of_process(options, *kernel, machine->topology(), threads);
  const std::string policy = policy_chosen(options, policies, slots, catalogue);
  config.set("/policy/name", policy, options.policy ? "--policy" : "--kernel");
  if (options.buckets > 0) {
    config.set("/policy/buckets", options.buckets, "--buckets");
  } else if (slots.value_or(0) != 0 && is_private(policy)) {
    config.set("/policy/buckets", slots.value(), "--buckets");
  }
  if (options.hash) config.set("/hash", *options.hash, "--hash");
  if (options.seed) config.set("/seed", *options.seed, "--seed");
  if (options.precision) config.set("/precision", *options.precision, "--precision");
  return Point(config.cursor(), catalogue);
}

std::string perf_hash_heading(const PerfHashOptions& options, const Point& point) {
  const FutexHashParameters workload = workload_of(point);
  std::ostringstream out;
  out << "# Running 'futex/hash' benchmark:\n"
      << "Run summary [PID " << point.parameters().seed << "]: " << workload.threads
      << " threads, each operating on " << workload.futexes_per_thread
      << (workload.shared ? " [shared] futexes for " : " [private] futexes for ") << options.runtime
      << " secs.\n\n";
  return out.str();
}

std::string perf_hash_findings(const PerfHashOptions& options, const Point& point,
                               const PointResult& result) {
  const FutexHashParameters workload = workload_of(point);
  std::ostringstream out;
  for (std::size_t i = 0; i < result.threads.size() && !options.silent; ++i) {
    const ThreadResult& thread = result.threads[i];
    const bool one = workload.futexes_per_thread == 1;
    out << "[thread " << std::setw(2) << i << (one ? "] futex: 0x" : "] futexes: 0x") << std::hex
        << thread.first_address;
    if (!one) out << " ... 0x" << thread.last_address;
    out << std::dec << " [ " << whole(thread.ops_per_sec) << " ops/sec ]\n";
  }
  out << (options.silent ? "" : "\n") << "Averaged " << whole(result.ops_per_sec_per_thread.mean)
      << " operations/sec (+- " << fixed(result.plus_minus_pct, 2)
      << "%), total secs = " << options.runtime << "\n"
      << hashing(options, point, result);
  return out.str();
}

std::string perf_hash_report(const PerfHashOptions& options, const Point& point,
                             const PointResult& result) {
  return perf_hash_heading(options, point) + perf_hash_findings(options, point, result);
}

PerfHashOptions perf_hash_options(const Point& point) {
  const PolicyChoice& choice = point.parameters().policy;
  const std::unique_ptr<TablePolicy> policy = choice.make();
  const FutexHashParameters workload = workload_of(point);
  return {.threads = workload.threads,
          .futexes = workload.futexes_per_thread,
          .buckets = policy->is_private() ? std::int64_t{policy->buckets().value()} : 0,
          .immutable = policy->is_immutable(),
          .shared = workload.shared,
          .machine = point.machine().name(),
          .kernel = point.kernel().name,
          .placement = workload.placement,
          .policy = choice.name(),
          .hash = {},
          .seed = point.parameters().seed,
          .precision = point.parameters().precision};
}

}  // namespace futexsim
