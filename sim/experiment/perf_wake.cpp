// perf bench futex wake (tools/perf/bench/futex-wake.c, v6.16).

#include <sstream>

#include "futexsim/experiment/text_table.hpp"
#include "perf_benchmarks.hpp"

namespace futexsim {
namespace {

class PerfWake final : public PerfBenchmark {
 public:
  std::string_view name() const override { return "wake"; }
  std::string_view workload() const override { return "futex-wake"; }
  std::string_view help() const override {
    return "threads block on a futex, one thread wakes them";
  }
  bool is_repeated() const override { return true; }
  std::vector<PerfOption> options() const override {
    return {{"nwakes,w", "N", "threads woken at once (default 1)", &PerfFutexOptions::nwakes}};
  }

  Point point(const PerfFutexOptions& options, const Catalogue& catalogue) const override {
    Document config = perf_config_of_runs(*this, options, catalogue);
    if (options.nwakes > 0) config.set("/workload/nwakes", options.nwakes, "--nwakes");
    return Point(config.cursor(), catalogue);
  }

  PerfFutexOptions options_of(const Point& point) const override {
    PerfFutexOptions options = perf_common_options_of(point);
    options.nwakes = workload_number(point, "nwakes");
    return options;
  }

  std::string heading(const PerfFutexOptions&, const Point&) const override { return ""; }

  std::string findings(const PerfFutexOptions& options, const Point& point,
                       const PointResult& result) const override {
    const std::int64_t threads = workload_number(point, "threads");
    std::ostringstream out;
    out << perf_summary(point) << "blocking on " << threads << " threads (at [" << sharing(point)
        << "] futex " << hexadecimal(result.threads.front().first_address) << "), waking up "
        << workload_number(point, "nwakes") << " at a time.\n\n";
    for (std::size_t run = 0; run < result.runs.size() && !options.silent; ++run) {
      out << "[Run " << run + 1 << "]: Wokeup " << threads << " of " << threads << " threads in "
          << fixed(result.runs[run].mean(), 4) << " ms\n";
    }
    out << "Wokeup " << threads << " of " << threads << " threads in "
        << average_ms(result.measured.mean, result.plus_minus_pct) << "\n"
        << perf_hashing_line(options, point, result);
    return out.str();
  }
};

}  // namespace

const PerfBenchmark& perf_wake_benchmark() {
  static const PerfWake benchmark;
  return benchmark;
}

}  // namespace futexsim
