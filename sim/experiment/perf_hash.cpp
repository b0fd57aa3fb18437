#include "futexsim/experiment/perf_hash.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "futexsim/experiment/text_table.hpp"
#include "futexsim/kernel/sizing.hpp"
#include "futexsim/parts/document.hpp"
#include "futexsim/parts/nearest_name.hpp"
#include "futexsim/workload/futex_hash.hpp"

namespace futexsim {
namespace {

bool is_global(const std::string& policy) {
  return policy.starts_with("global");
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
  bool immutable = false;

  explicit KernelPolicies(const KernelParameters& parameters) : kernel(parameters.name) {
    for (const std::string& policy : parameters.policies) {
      if (policy == "immutable") {
        immutable = true;
      } else if (is_global(policy)) {
        if (global.empty()) global = policy;
      } else if (of_process.empty()) {
        of_process = policy;
      }
    }
  }
};

std::vector<std::string> kernels_with_immutable_tables(const Catalogue& catalogue) {
  std::vector<std::string> out;
  for (const std::string& name : catalogue.kernels()) {
    const Document config("kernels", name);
    if (KernelPolicies(*catalogue.kernel(config.cursor())).immutable) out.push_back(name);
  }
  return out;
}

/// Which policy -b and -I mean, before --policy has its say.
std::string policy_meant(const PerfHashOptions& options, const KernelPolicies& kernel,
                         const Catalogue& catalogue) {
  if (options.immutable) {
    if (options.buckets <= 0) {
      throw refusal("-I", "no number of buckets", "-I together with -b N, N at least 1");
    }
    if (!kernel.immutable) {
      throw refusal("-I", "kernel " + in_quotes(kernel.kernel),
                    "a kernel that has immutable tables: " +
                        listed(kernels_with_immutable_tables(catalogue)));
    }
    return "immutable";
  }
  if (options.buckets == 0) return kernel.global;
  if (kernel.of_process.empty() && options.buckets > 0) {
    throw refusal("-b", "kernel " + in_quotes(kernel.kernel),
                  "a kernel that has private tables; this one takes -b 0 or -b -1");
  }
  return kernel.of_process.empty() ? kernel.global : kernel.of_process;
}

/// --policy, once it agrees with -b and -I.
std::string policy_chosen(const PerfHashOptions& options, const KernelPolicies& kernel,
                          const Catalogue& catalogue) {
  std::string meant = policy_meant(options, kernel, catalogue);
  if (!options.policy) return meant;
  const std::string& wanted = *options.policy;
  const std::string found = in_quotes(wanted);
  if (options.immutable && wanted != "immutable") {
    throw refusal("--policy", found + " beside -I", "\"immutable\", or no -I");
  }
  if (options.buckets == 0 && !is_global(wanted)) {
    throw refusal("--policy", found + " beside -b 0", "a global policy, or another -b");
  }
  if (options.buckets > 0 && is_global(wanted)) {
    throw refusal("--policy", found + " beside -b " + std::to_string(options.buckets),
                  "a private policy, or -b 0");
  }
  return wanted;
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
std::string hashing(const PerfHashOptions& options, const Point& point) {
  const std::string& policy = point.parameters().policy.name();
  if (is_global(policy)) return "global hash";
  const std::string buckets = point.resolved().at("policy").at("buckets").dump();
  if (options.buckets < 0) return "auto resized to " + buckets + " buckets";
  return buckets + " hash buckets " + (policy == "immutable" ? "(immutable)" : "");
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
  const KernelPolicies kernel(*catalogue.kernel(config.cursor().at("kernel")));
  const std::int64_t threads =
      options.threads == 0
          ? default_threads(config.cursor().at("workload"), options.placement, machine->topology())
          : options.threads;
  config.set("/workload/threads", threads, "--threads");

  const std::string policy = policy_chosen(options, kernel, catalogue);
  config.set("/policy/name", policy, options.policy ? "--policy" : "--kernel");
  const bool automatic = options.buckets <= 0;
  const auto known_threads =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(threads, 1, 65536));
  const std::int64_t buckets =
      automatic ? automatic_buckets(policy, known_threads, machine->topology()) : options.buckets;
  config.set("/policy/buckets", buckets, "--buckets");
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
      << "Futex hashing: " << hashing(options, point) << "\n";
  return out.str();
}

std::string perf_hash_report(const PerfHashOptions& options, const Point& point,
                             const PointResult& result) {
  return perf_hash_heading(options, point) + perf_hash_findings(options, point, result);
}

PerfHashOptions perf_hash_options(const Point& point) {
  const auto resolved = point.resolved();
  const std::string& policy = point.parameters().policy.name();
  const FutexHashParameters workload = workload_of(point);
  return {
      .threads = workload.threads,
      .futexes = workload.futexes_per_thread,
      .buckets = is_global(policy) ? 0 : resolved.at("policy").value("buckets", std::int64_t{0}),
      .immutable = policy == "immutable",
      .shared = workload.shared,
      .machine = point.machine().name(),
      .kernel = point.kernel().name,
      .placement = workload.placement,
      .policy = policy,
      .hash = {},
      .seed = point.parameters().seed,
      .precision = point.parameters().precision};
}

}  // namespace futexsim
