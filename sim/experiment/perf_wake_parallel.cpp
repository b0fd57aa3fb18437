// perf bench futex wake-parallel (tools/perf/bench/futex-wake-parallel.c, v6.16).

#include <sstream>

#include "perf_benchmarks.hpp"

namespace futexsim {
namespace {

/// Threads that wake, of a point.
std::int64_t wakers(const Point& point) {
  return static_cast<std::int64_t>(point.placement().unbound.size());
}

class PerfWakeParallel final : public PerfBenchmark {
 public:
  std::string_view name() const override { return "wake-parallel"; }
  std::string_view workload() const override { return "futex-wake-parallel"; }
  std::string_view help() const override {
    return "threads block on a futex, several others wake a part of them each";
  }
  bool is_repeated() const override { return true; }
  std::vector<PerfOption> options() const override {
    return {{"nwakers,w", "N", "threads that wake (default: as many as block)",
             &PerfFutexOptions::nwakes}};
  }

  /// 0 and too many are as many as block.
  Point point(const PerfFutexOptions& options, const Catalogue& catalogue) const override {
    Document config = perf_config_of_runs(*this, options, catalogue);
    const std::int64_t threads = config.root().at("workload").at("threads").get<std::int64_t>();
    if (options.nwakes > 0 && options.nwakes <= threads) {
      config.set("/workload/nwakers", options.nwakes, "--nwakers");
    }
    return Point(config.cursor(), catalogue);
  }

  PerfFutexOptions options_of(const Point& point) const override {
    PerfFutexOptions options = perf_common_options_of(point);
    const nlohmann::json workload = point.parameters().workload.resolved();
    options.nwakes = workload.value("nwakers", std::int64_t{0});
    return options;
  }

  std::string heading(const PerfFutexOptions&, const Point&) const override { return ""; }

  std::string findings(const PerfFutexOptions& options, const Point& point,
                       const PointResult& result) const override {
    const std::int64_t threads = workload_number(point, "threads");
    const std::int64_t at_a_time = threads / wakers(point);
    std::ostringstream out;
    out << perf_summary(point) << "blocking on " << threads << " threads (at [" << sharing(point)
        << "] futex " << hexadecimal(result.threads.front().first_address) << "), " << wakers(point)
        << " threads waking up " << at_a_time << " at a time.\n\n";
    const auto average = [&](double mean, double plus_minus_pct) {
      out << "Avg per-thread latency (waking " << at_a_time << "/" << threads << " threads) in "
          << average_ms(mean, plus_minus_pct) << "\n";
    };
    for (std::size_t run = 0; run < result.runs.size() && !options.silent; ++run) {
      out << "[Run " << run + 1 << "]: ";
      average(result.runs[run].mean(), plus_minus_pct_of(result.runs[run]));
    }
    average(result.measured.mean, result.plus_minus_pct);
    out << perf_hashing_line(options, point, result);
    return out.str();
  }
};

}  // namespace

const PerfBenchmark& perf_wake_parallel_benchmark() {
  static const PerfWakeParallel benchmark;
  return benchmark;
}

}  // namespace futexsim
