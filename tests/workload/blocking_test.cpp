// Effects that the benchmarks of waking and of PI futexes must show, whatever the numbers.

#include <doctest/doctest.h>

#include "futexsim/experiment/point.hpp"

using namespace futexsim;

namespace {

nlohmann::json config(nlohmann::json workload) {
  return {{"machine", "e5-2650"},
          {"kernel", "2024-rfc-v2"},
          {"policy", {{"name", "private"}, {"buckets", 256}}},
          {"workload", std::move(workload)},
          {"precision", 1}};
}

const Catalogue& catalogue() {
  static const Catalogue shipped(FUTEXSIM_SOURCE_DIR "/configs");
  return shipped;
}

PointResult run(const nlohmann::json& config) {
  return simulate(Point(Document("test", config).cursor(), catalogue()));
}

double measured(const nlohmann::json& config) {
  return run(config).measured.mean;
}

nlohmann::json workload(const char* name, std::uint32_t threads, const char* key = "threads",
                        nlohmann::json value = {}) {
  nlohmann::json out{{"name", name}, {"threads", threads}};
  if (!value.is_null()) out[key] = std::move(value);
  return out;
}

}  // namespace

TEST_CASE("waking all at once is cheaper than one at a time") {
  const double one = measured(config(workload("futex-wake", 16)));
  const double all = measured(config(workload("futex-wake", 16, "nwakes", 16)));
  // A call costs at least the system call of the E5, some 91 ns, of which 15 are saved.
  CHECK(one - all > 15 * 90e-6);
}

TEST_CASE("time to wake grows with the threads, at least by a wake-up for each") {
  const double four = measured(config(workload("futex-wake", 4)));
  const double sixteen = measured(config(workload("futex-wake", 16)));
  CHECK(sixteen - four > 12 * 400e-6);
}

TEST_CASE("moving a waiter is cheaper than waking it") {
  CHECK(measured(config(workload("futex-requeue", 16))) <
        measured(config(workload("futex-wake", 16))));
}

TEST_CASE("one waker of all takes as long per waker as wake -w all, and many share the work") {
  const double alone = measured(config(workload("futex-wake", 16, "nwakes", 16)));
  const double one = measured(config(workload("futex-wake-parallel", 16, "nwakers", 1)));
  CHECK(one == doctest::Approx(alone).epsilon(0.25));
  CHECK(measured(config(workload("futex-wake-parallel", 16, "nwakers", 4))) < one);
}

TEST_CASE("a run has a sample for each waker, ten runs make a point") {
  const PointResult result = run(config(workload("futex-wake-parallel", 8, "nwakers", 4)));
  CHECK(result.replications == 10);
  REQUIRE(result.runs.size() == 10);
  for (const RunningMoments& samples : result.runs) CHECK(samples.count() == 4);
  CHECK(result.operations == 10 * 8);  // everybody was woken
}

TEST_CASE("more threads than CPUs are woken as well") {
  for (const char* const name : {"futex-wake", "futex-wake-parallel", "futex-requeue"}) {
    CAPTURE(name);
    CHECK(run(config(workload(name, 80))).operations == 10 * 80);
  }
}

TEST_CASE("lock-pi: one futex passes from thread to thread, many don't") {
  const double alone = measured(config(workload("futex-lock-pi", 1)));
  // usleep(1) with 50 us of slack, and the ways in and out.
  CHECK(alone < 1e9 / 51'000);
  CHECK(alone > 1e9 / 60'000);
  const double shared = measured(config(workload("futex-lock-pi", 8)));
  CHECK(shared * 8 < alone);
  CHECK(shared * 8 > alone / 2);
  const double multi = measured(config(workload("futex-lock-pi", 8, "multi", true)));
  CHECK(multi == doctest::Approx(alone).epsilon(0.05));
}

TEST_CASE("glibc's way through user space saves system calls where nobody waits") {
  const double perf = measured(config(workload("futex-lock-pi", 4, "multi", true)));
  nlohmann::json in_user_space = workload("futex-lock-pi", 4, "multi", true);
  in_user_space["user_space_first"] = true;
  const double glibc = measured(config(in_user_space));
  // Two system calls of some 130 ns with the atomic, and the critical section, in 54 us.
  CHECK(1e9 / perf - 1e9 / glibc > 260);
}

TEST_CASE("every kernel runs every benchmark") {
  for (const std::string& kernel : catalogue().kernels()) {
    for (const char* const name :
         {"futex-wake", "futex-wake-parallel", "futex-requeue", "futex-lock-pi"}) {
      CAPTURE(kernel);
      CAPTURE(name);
      nlohmann::json point = config(workload(name, 6));
      point["kernel"] = kernel;
      const Document kernel_name("kernel", kernel);
      const std::string& policy = catalogue().kernel(kernel_name.cursor())->policies.front();
      point["policy"] = {{"name", policy}, {"buckets", 256}};
      CHECK(measured(point) > 0);
    }
  }
}

TEST_CASE("sleepers survive a resize, under sleeping locks too") {
  // A per-CPU count is added up a grace period of 10 ms after the first step.
  struct Case {
    const char *kernel, *policy;
    std::uint32_t while_asleep_us;
  };
  for (const Case& tables : {Case{"v6.17", "percpu", 10}, Case{"2025-series", "resizable", 50'000},
                             Case{"2025-series-rt", "resizable", 50'000}}) {
    for (const char* const name : {"futex-wake", "futex-requeue", "futex-lock-pi"}) {
      CAPTURE(tables.kernel);
      CAPTURE(name);
      // Waiters of the benchmarks of waking sleep for 100 ms: the first who wakes them moves them.
      nlohmann::json point = config(workload(name, 40));
      const bool naps = name != std::string("futex-lock-pi");
      point["kernel"] = tables.kernel;
      point["policy"] = {
          {"name", tables.policy},
          {"buckets", 16},
          {"resize", {{"buckets", 64}, {"at_us", naps ? tables.while_asleep_us : 100}}}};
      point["least_us"] = 12'000;
      const PointResult result = run(point);
      CHECK(result.measured.mean > 0);
      CHECK(result.table.value().replacements == result.replications);
    }
  }
}
