// perf bench futex requeue (tools/perf/bench/futex-requeue.c, v6.16).

#include <algorithm>
#include <sstream>

#include "futexsim/experiment/text_table.hpp"
#include "perf_benchmarks.hpp"

namespace futexsim {
namespace {

/// Moved by one call.
std::int64_t at_a_time(const Point& point) {
  return std::min(workload_number(point, "nrequeue"), workload_number(point, "threads"));
}

class PerfRequeue final : public PerfBenchmark {
 public:
  std::string_view name() const override { return "requeue"; }
  std::string_view workload() const override { return "futex-requeue"; }
  std::string_view help() const override {
    return "threads block on a futex, one thread moves them to another";
  }
  bool is_repeated() const override { return true; }
  std::vector<PerfOption> options() const override {
    using P = PerfFutexOptions;
    return {{"nrequeue,q", "N", "threads moved at once (default 1)", &P::nrequeue, 1},
            {"broadcast,B", "", "all threads moved at once", &P::broadcast},
            {"pi,p", "", "PI futexes: not modelled", &P::pi}};
  }

  Point point(const PerfFutexOptions& options, const Catalogue& catalogue) const override {
    if (options.pi) {
      throw perf_refusal("-p", "a requeue to a PI futex", "requeues without it: not modelled");
    }
    Document config = perf_config_of_runs(*this, options, catalogue);
    const std::int64_t threads = config.root().at("workload").at("threads").get<std::int64_t>();
    config.set("/workload/nrequeue", options.broadcast ? threads : options.nrequeue, "--nrequeue");
    return Point(config.cursor(), catalogue);
  }

  PerfFutexOptions options_of(const Point& point) const override {
    PerfFutexOptions options = perf_common_options_of(point);
    options.nrequeue = workload_number(point, "nrequeue");
    return options;
  }

  std::string heading(const PerfFutexOptions&, const Point&) const override { return ""; }

  std::string findings(const PerfFutexOptions& options, const Point& point,
                       const PointResult& result) const override {
    const std::int64_t threads = workload_number(point, "threads");
    const ThreadResult& futexes = result.threads.front();
    std::ostringstream out;
    out << perf_summary(point) << "Requeuing " << threads << " threads (from [" << sharing(point)
        << "] " << hexadecimal(futexes.first_address) << " to " << hexadecimal(futexes.last_address)
        << "), " << at_a_time(point) << " at a time.\n\n";
    for (std::size_t run = 0; run < result.runs.size() && !options.silent; ++run) {
      out << "[Run " << run + 1 << "]: Requeued " << threads << " of " << threads << " threads in "
          << fixed(result.runs[run].mean(), 4) << " ms\n";
    }
    out << "Requeued " << threads << " of " << threads << " threads in "
        << average_ms(result.measured.mean, result.plus_minus_pct) << "\n"
        << perf_hashing_line(options, point, result);
    return out.str();
  }
};

}  // namespace

const PerfBenchmark& perf_requeue_benchmark() {
  static const PerfRequeue benchmark;
  return benchmark;
}

}  // namespace futexsim
