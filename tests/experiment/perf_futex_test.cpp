// perf bench futex beside hash: options to points, results to perf's lines.

#include "futexsim/experiment/perf_futex.hpp"

#include <doctest/doctest.h>

#include <regex>

#include "../parts/message_of.hpp"
#include "futexsim/experiment/result_row.hpp"

using namespace futexsim;

namespace {

const Catalogue& catalogue() {
  static const Catalogue shipped(FUTEXSIM_SOURCE_DIR "/configs");
  return shipped;
}

const PerfBenchmark& benchmark(const std::string& name) {
  for (const PerfBenchmark* one : perf_benchmarks()) {
    if (one->name() == name) return *one;
  }
  throw std::logic_error("no benchmark " + name);
}

nlohmann::json workload(const std::string& name, const PerfFutexOptions& options) {
  return benchmark(name).point(options, catalogue()).resolved().at("workload");
}

std::string refusal(const std::string& name, const PerfFutexOptions& options) {
  return message_of([&] { benchmark(name).point(options, catalogue()); });
}

std::string report(const std::string& name, const PerfFutexOptions& options,
                   const PointResult& result) {
  const Point point = benchmark(name).point(options, catalogue());
  return perf_title(benchmark(name)) + benchmark(name).heading(options, point) +
         benchmark(name).findings(options, point, result);
}

/// Two runs of two samples each.
PointResult two_runs() {
  PointResult result;
  result.measured = {0.25, 0.01};
  result.plus_minus_pct = 3.456;
  result.threads = {{0x1000, 0x1004, 0}};
  result.runs.resize(2);
  for (const double sample : {0.1, 0.3}) result.runs[0].add(sample);
  for (const double sample : {0.3, 0.3}) result.runs[1].add(sample);
  return result;
}

}  // namespace

TEST_CASE("options mean what they mean to perf") {
  CHECK(workload("wake", {}).at("nwakes") == 1);
  CHECK(workload("wake", {}).at("threads") == 32);
  CHECK(workload("wake", {.nwakes = 5}).at("nwakes") == 5);
  CHECK_FALSE(workload("wake-parallel", {}).contains("nwakers"));
  CHECK(workload("wake-parallel", {.threads = 8, .nwakes = 4}).at("nwakers") == 4);
  CHECK_FALSE(workload("wake-parallel", {.threads = 8, .nwakes = 9}).contains("nwakers"));
  CHECK(workload("requeue", {}).at("nrequeue") == 1);
  CHECK(workload("requeue", {.threads = 8, .broadcast = true}).at("nrequeue") == 8);
  CHECK(workload("lock-pi", {.multi = true}).at("multi") == true);
  CHECK(workload("lock-pi", {.shared = true}).at("shared") == true);
  CHECK(refusal("wake-parallel", {.threads = 8, .nwakes = 3})
            .starts_with("--nwakers: /workload/nwakers: found the number 3"));
  CHECK(refusal("requeue", {.pi = true}).find("not modelled") != std::string::npos);
}

TEST_CASE("a repeated benchmark makes ten runs unless a precision is asked for") {
  const auto rule = [](const PerfFutexOptions& options) {
    return stopping_rule(benchmark("wake").point(options, catalogue()));
  };
  CHECK(rule({}).min_replications == 10);
  CHECK(rule({}).precision == 1);
  CHECK(rule({.precision = 0.05}).precision == 0.05);
}

TEST_CASE("wake has perf's lines") {
  CHECK(
      report("wake", {.threads = 4, .nwakes = 2, .kernel = "2025-series", .seed = 3}, two_runs()) ==
      "# Running 'futex/wake' benchmark:\n"
      "Run summary [PID 3]: blocking on 4 threads (at [private] futex 0x1000), waking up 2 at a "
      "time.\n\n"
      "[Run 1]: Wokeup 4 of 4 threads in 0.2000 ms\n"
      "[Run 2]: Wokeup 4 of 4 threads in 0.3000 ms\n"
      "Wokeup 4 of 4 threads in 0.2500 ms (+-3.46%)\n"
      "Futex hashing: auto resized to 16 buckets\n");
}

TEST_CASE("wake-parallel has perf's lines, with the spread over wakers") {
  CHECK(report("wake-parallel", {.threads = 4, .nwakes = 2, .shared = true}, two_runs()) ==
        "# Running 'futex/wake-parallel' benchmark:\n"
        "Run summary [PID 1]: blocking on 4 threads (at [shared] futex 0x1000), 2 threads waking "
        "up 2 at a time.\n\n"
        // Standard error of 0.1 and 0.3: 0.1, half of their mean.
        "[Run 1]: Avg per-thread latency (waking 2/4 threads) in 0.2000 ms (+-50.00%)\n"
        "[Run 2]: Avg per-thread latency (waking 2/4 threads) in 0.3000 ms (+-0.00%)\n"
        "Avg per-thread latency (waking 2/4 threads) in 0.2500 ms (+-3.46%)\n"
        "Futex hashing: auto resized to 4 buckets\n");
}

TEST_CASE("requeue has perf's lines") {
  CHECK(
      report("requeue", {.threads = 4, .nrequeue = 9, .buckets = 0, .silent = true}, two_runs()) ==
      "# Running 'futex/requeue' benchmark:\n"
      "Run summary [PID 1]: Requeuing 4 threads (from [private] 0x1000 to 0x1004), 4 at a "
      "time.\n\n"
      "Requeued 4 of 4 threads in 0.2500 ms (+-3.46%)\n"
      "Futex hashing: global hash\n");
}

TEST_CASE("lock-pi has perf's lines") {
  PointResult result;
  result.measured = {19000.7, 1};
  result.plus_minus_pct = 0.5;
  result.threads = {{0x1000, 0x1000, 19001.2}, {0x1000, 0x1000, 19000}};
  CHECK(report("lock-pi", {.threads = 2}, result) ==
        "# Running 'futex/lock-pi' benchmark:\n"
        "Run summary [PID 1]: 2 threads doing pi lock/unlock pairing for 10 secs.\n\n"
        "[thread   0] futex: 0x1000 [ 19001 ops/sec ]\n"
        "[thread   1] futex: 0x1000 [ 19000 ops/sec ]\n\n"
        "Averaged 19000 operations/sec (+- 0.50%), total secs = 10\n"
        "Futex hashing: auto resized to 4 buckets\n");
}

TEST_CASE("a row says what its workload measures, and nothing that it doesn't have") {
  const auto keys = [](const std::string& name) {
    const Point point = benchmark(name).point({.threads = 4, .precision = 1}, catalogue());
    std::string out;
    const nlohmann::ordered_json row = result_row(point, simulate(point), false);
    for (const auto& [key, value] : row.items()) {
      out += key + ' ';
    }
    return out;
  };
  const auto row_of_runs = [](const std::string& measure) {
    return "config seed version method trace_hash " + measure +
           " half_width precise plus_minus_pct runs events simulated_ns wait_ns ";
  };
  CHECK(keys("wake") == row_of_runs("wakeup_ms"));
  CHECK(keys("wake-parallel") == row_of_runs("latency_ms"));
  CHECK(keys("requeue") == row_of_runs("requeue_ms"));
  CHECK(keys("lock-pi") ==
        "config seed version method trace_hash ops_per_sec_per_thread half_width precise "
        "plus_minus_pct "
        "events operations simulated_ns wait_ns ");
}

TEST_CASE("the report of a point is what its benchmark would print") {
  for (const PerfBenchmark* one : perf_benchmarks()) {
    CAPTURE(one->name());
    const PerfFutexOptions options{.threads = 2, .futexes = 8, .buckets = 16, .precision = 1};
    const Point point = one->point(options, catalogue());
    const PointResult result = simulate(point);
    CHECK(perf_report(point, result) ==
          perf_title(*one) + one->heading(options, point) + one->findings(options, point, result));
    const Point again = one->point(one->options_of(point), catalogue());
    CHECK(again.resolved() == point.resolved());
  }
}
