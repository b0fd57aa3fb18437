// perf bench futex hash (tools/perf/bench/futex-hash.c, v6.16), and the forms that two RFCs gave
// it: in 2016 -n binds to a node and -p asks for slots, in 2024 the summary names the slots.

#include <algorithm>
#include <bit>
#include <iomanip>
#include <sstream>

#include "futexsim/experiment/text_table.hpp"
#include "futexsim/parts/nearest_name.hpp"
#include "perf_benchmarks.hpp"

namespace futexsim {
namespace {

/// FUTEX_PREALLOC_HASH of 2016: what a request gets, between the least and the most that a table
/// may have.
std::int64_t preallocated(std::int64_t asked) {
  constexpr std::int64_t least = 4;
  constexpr std::int64_t most = 256;
  const auto slots = static_cast<std::uint64_t>(std::clamp(asked, least, most));
  return static_cast<std::int64_t>(std::bit_ceil(slots));
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
    const PerfFutexOptions options = with_2016(given, *perf_kernel(given, catalogue));
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
        << after_sharing(options) << "] futexes for " << options.runtime << " secs.\n\n";
    return out.str();
  }

  std::string findings(const PerfFutexOptions& options, const Point& point,
                       const PointResult& result) const override {
    std::ostringstream out;
    for (std::size_t i = 0; i < result.threads.size() && !options.silent; ++i) {
      const ThreadResult& thread = result.threads[i];
      const bool one = workload_number(point, "futexes_per_thread") == 1;
      out << "[thread " << std::setw(2) << i << (one ? "] futex: " : "] futexes: ")
          << hexadecimal(thread.first_address);
      if (!one) out << " ... " << hexadecimal(thread.last_address);
      out << " [ " << whole(thread.ops_per_sec) << " ops/sec ]\n";
    }
    out << (options.silent ? "" : "\n") << "Averaged " << whole(result.measured.mean)
        << " operations/sec (+- " << fixed(result.plus_minus_pct, 2)
        << "%), total secs = " << options.runtime << "\n";
    if (point.kernel().perf_futex_hash == "v6.16") out << perf_hashing_line(options, point, result);
    return out.str();
  }

 private:
  /// -n and -p, as the options that they come down to.
  static PerfFutexOptions with_2016(PerfFutexOptions options, const KernelParameters& kernel) {
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
      options.buckets = preallocated(*options.slots);
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

  static std::string after_sharing(const PerfFutexOptions& options) {
    if (!options.slots) return "";
    return " P " + std::to_string(*options.slots) + " " +
           std::to_string(preallocated(*options.slots));
  }
};

}  // namespace

const PerfBenchmark& perf_hash_benchmark() {
  static const PerfHash benchmark;
  return benchmark;
}

}  // namespace futexsim
