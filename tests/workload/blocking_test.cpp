// Effects that the benchmarks of waking and of PI futexes must show, whatever the numbers.

#include <doctest/doctest.h>

#include "futexsim/experiment/point.hpp"

using namespace futexsim;

namespace {

nlohmann::json config(nlohmann::json workload, const char* kernel = "2024-rfc-v2") {
  const char* const policy = std::string(kernel) == "2024-rfc-v2" ? "private" : "global";
  return {{"machine", "e5-2650"},
          {"kernel", kernel},
          {"policy", {{"name", policy}, {"buckets", 256}}},
          {"workload", std::move(workload)},
          {"precision", 1}};
}

PointResult run(const nlohmann::json& config) {
  static const Catalogue catalogue(FUTEXSIM_SOURCE_DIR "/configs");
  return simulate(Point(Document("test", config).cursor(), catalogue));
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
  // A call costs at least the system call of the E5, some 165 ns, of which 15 are saved.
  CHECK(one - all > 15 * 164e-6);
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
  // Two system calls of some 200 ns in 54 us.
  CHECK(1e9 / perf - 1e9 / glibc > 400);
}

TEST_CASE("every kernel runs every benchmark") {
  for (const char* const kernel : {"v3.12", "v3.14", "v4.2", "before-2025"}) {
    for (const char* const name :
         {"futex-wake", "futex-wake-parallel", "futex-requeue", "futex-lock-pi"}) {
      CAPTURE(kernel);
      CAPTURE(name);
      CHECK(measured(config(workload(name, 6), kernel)) > 0);
    }
  }
}
