#include "futexsim/hardware/stalls.hpp"

#include <doctest/doctest.h>

#include "../support/lab.hpp"

using namespace futexsim;

namespace {

/// 100 us of work, so many times.
Task<> work(Cpu& cpu, int times, Picoseconds& done) {
  for (int i = 0; i < times; ++i) {
    co_await cpu.compute(nanoseconds(100'000));
    co_await cpu.elapse();
  }
  done = cpu.now();
}

/// A second of work on each of two CPUs, or on one beside an idle one, with 1000 stalls a second
/// and CPU of 100 us each. When the first has done it.
double seconds_of_work(bool one_is_idle) {
  nlohmann::json machine = TestMachine{}.cores_per_node(2).json();
  const auto quantity = [](double value, const char* unit) {
    return nlohmann::json{
        {"value", value}, {"unit", unit}, {"origin", "guess"}, {"source", "a test"}};
  };
  machine["stalls"] = {{"rate", quantity(1000, "1/s")}, {"duration", quantity(100, "us")}};
  Lab lab(Machine(Document("stalls", machine).cursor()), {CpuId{0}, CpuId{1}});
  Picoseconds first, second;
  lab.start(0, work(lab.cpu(0), 10'000, first));
  if (!one_is_idle) lab.start(1, work(lab.cpu(1), 30'000, second));
  lab.hardware().start_stalls(RandomStream(1, "stalls"));
  lab.run_until(nanoseconds(2'000'000'000));
  return in_seconds(first);
}

}  // namespace

TEST_CASE("stalls take their part of the time of busy CPUs") {
  // T = 1 s + 1000 T 100 us; some 1100 stalls, so 3 % of their tenth is noise.
  CHECK(seconds_of_work(false) == doctest::Approx(1 / 0.9).epsilon(0.015));
}

TEST_CASE("no CPU is stalled while another is idle") {
  CHECK(seconds_of_work(true) == 1);
}
