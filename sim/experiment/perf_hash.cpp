// perf bench futex hash (tools/perf/bench/futex-hash.c, v6.16), and the forms that two RFCs gave
// it: in 2016 -n binds to a node and -p asks for slots, in 2024 the summary names the slots.

#include <sstream>

#include "futexsim/experiment/text_table.hpp"
#include "futexsim/parts/nearest_name.hpp"
#include "perf_benchmarks.hpp"

namespace futexsim {
namespace {

/// What FUTEX_PREALLOC_HASH gives who asks for so many slots.
std::int64_t preallocated(std::int64_t asked, const KernelParameters& kernel,
                          const Topology& topology) {
  const std::unique_ptr<SizingRule> automatic = kernel.private_sizing.make();
  const std::unique_ptr<HashControl> control = kernel.hash_control.make({topology, *automatic});
  return control->futex_prealloc_hash(static_cast<std::uint32_t>(asked));
}

class PerfHash final : public PerfBenchmark {
 public:
  std::string_view name() const override { return "hash"; }
  std::string_view workload() const override { return "futex-hash"; }
  std::string_view help() const override {
    return "threads wait on futexes of their own, with a value that differs";
  }
  std::vector<PerfOption> options() const override {
    using P = PerfFutexOptions;
    return {{"runtime,r", "SECONDS", "only shown: precision decides how much is simulated",
             &P::runtime, 1},
            {"futexes,f", "N", "futexes of each thread (default 1024)", &P::futexes, 1},
            {"node,n", "NODE", "of the 2016 RFC: all threads on this node", &P::node},
            {"prealloc,p", "SLOTS", "of the 2016 RFC: slots to ask for, which the kernel rounds up",
             &P::slots, 1}};
  }

  Point point(const PerfFutexOptions& given, const Catalogue& catalogue) const override {
    const PerfFutexOptions options = with_2016(given, catalogue);
    Document config = perf_config(*this, options, catalogue);
    config.set("/workload/futexes_per_thread", options.futexes, "--futexes");
    return Point(config.cursor(), catalogue);
  }

  PerfFutexOptions options_of(const Point& point) const override {
    PerfFutexOptions options = perf_common_options_of(point);
    options.futexes = workload_number(point, "futexes_per_thread");
    return options;
  }

  std::string heading(const PerfFutexOptions& options, const Point& point) const override {
    std::ostringstream out;
    out << perf_summary(point) << workload_number(point, "threads") << " threads"
        << after_threads(options, point) << " each operating on "
        << workload_number(point, "futexes_per_thread") << " [" << sharing(point)
        << after_sharing(options, point) << "] futexes for " << options.runtime << " secs.\n\n";
    return out.str();
  }

  std::string findings(const PerfFutexOptions& options, const Point& point,
                       const PointResult& result) const override {
    const bool one = workload_number(point, "futexes_per_thread") == 1;
    const std::string rates = perf_rates(options, result, 2, [&](const ThreadResult& thread) {
      const std::string first = hexadecimal(thread.first_address);
      return one ? "futex: " + first
                 : "futexes: " + first + " ... " + hexadecimal(thread.last_address);
    });
    if (point.kernel().perf_futex_hash != "v6.16") return rates;
    return rates + perf_hashing_line(options, point, result);
  }

 private:
  /// -n and -p, as the options that they come down to.
  static PerfFutexOptions with_2016(PerfFutexOptions options, const Catalogue& catalogue) {
    const KernelParameters& kernel = *perf_kernel(options, catalogue);
    const char* const used = options.node ? "-n" : options.slots ? "-p" : nullptr;
    if (used != nullptr && kernel.perf_futex_hash != "2016-rfc") {
      throw perf_refusal(used, "kernel " + in_quotes(kernel.name),
                         "a kernel whose perf has it: \"2016-rfc\"");
    }
    if (options.node) {
      if (options.placement) {
        throw perf_refusal("-n", "--placement beside it", "one of the two");
      }
      options.placement = "node" + std::to_string(*options.node);
    }
    if (options.slots) {
      if (options.buckets != -1) throw perf_refusal("-p", "-b beside it", "one of the two");
      const auto machine = perf_machine(options, catalogue);
      options.buckets = preallocated(*options.slots, kernel, machine->topology());
    }
    return options;
  }

  /// The wording of the node is a guess.
  static std::string after_threads(const PerfFutexOptions& options, const Point& point) {
    if (options.node) return " on node " + std::to_string(*options.node) + ",";
    if (point.kernel().perf_futex_hash != "2024-rfc-v2") return ",";
    const std::string buckets = point.resolved().at("policy").at("buckets").dump();
    return ", hash slots: " +
           (is_global(point.parameters().policy.name()) ? "-" + buckets : buckets);
  }

  static std::string after_sharing(const PerfFutexOptions& options, const Point& point) {
    if (!options.slots) return "";
    return " P " + std::to_string(*options.slots) + " " +
           std::to_string(preallocated(*options.slots, point.kernel(), point.machine().topology()));
  }
};

}  // namespace

const PerfBenchmark& perf_hash_benchmark() {
  static const PerfHash benchmark;
  return benchmark;
}

}  // namespace futexsim
