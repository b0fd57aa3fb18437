// perf bench futex lock-pi (tools/perf/bench/futex-lock-pi.c, v6.16).

#include <sstream>

#include "futexsim/experiment/text_table.hpp"
#include "perf_benchmarks.hpp"

namespace futexsim {
namespace {

class PerfLockPi final : public PerfBenchmark {
 public:
  std::string_view name() const override { return "lock-pi"; }
  std::string_view workload() const override { return "futex-lock-pi"; }
  std::string_view help() const override {
    return "threads lock a PI futex, sleep a microsecond and unlock it";
  }
  std::vector<PerfOption> options() const override {
    using P = PerfFutexOptions;
    return {{"runtime,r", "SECONDS", "only shown: precision decides how much is simulated",
             &P::runtime, 1},
            {"multi,M", "", "a futex for each thread", &P::multi}};
  }

  Point point(const PerfFutexOptions& options, const Catalogue& catalogue) const override {
    Document config = perf_config(*this, options, catalogue);
    config.set("/workload/multi", options.multi, "--multi");
    return Point(config.cursor(), catalogue);
  }

  PerfFutexOptions options_of(const Point& point) const override {
    PerfFutexOptions options = perf_common_options_of(point);
    options.multi = workload_value(point, "multi").get<bool>();
    return options;
  }

  std::string heading(const PerfFutexOptions& options, const Point& point) const override {
    std::ostringstream out;
    out << perf_summary(point) << workload_number(point, "threads")
        << " threads doing pi lock/unlock pairing for " << options.runtime << " secs.\n\n";
    return out.str();
  }

  std::string findings(const PerfFutexOptions& options, const Point& point,
                       const PointResult& result) const override {
    return perf_rates(options, result, 3,
                      [](const ThreadResult& thread) {
                        return "futex: " + hexadecimal(thread.first_address);
                      }) +
           perf_hashing_line(options, point, result);
  }
};

}  // namespace

const PerfBenchmark& perf_lock_pi_benchmark() {
  static const PerfLockPi benchmark;
  return benchmark;
}

}  // namespace futexsim
