// The ticket lock against the Markov model of "Non-scalable locks are dangerous" (2012), on a
// machine whose transfers all cost the same.
//
// The model's service time is s + c k / 2 with k waiting: the lock gets to its next holder after
// half of the spinners' refills, on average, each c apart. Here a line makes one transfer at a
// time, of L, and two writes of each operation send all spinners for a new copy: the xadd of who
// comes, and the release. So k waiting cost
//
//   at best   max(s, (k - 1) L) + 2 L   the next holder refills first, and both writes meet in the
//                                       line's queue: one round of refills an operation
//   at worst  s + 2 k L + 3 L           it refills last, and the release waits for a whole round
//                                       that an xadd has begun
//
// and the model's form, c = 2 L, lies between: s + k L, and L for the first refill.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "../support/lock_contest.hpp"
#include "../support/ticket_lock_markov.hpp"

using namespace futexsim;

namespace {

constexpr double transfer = 20;

/// Times in ns; the results in operations per microsecond.
struct Setting {
  double compute, critical_section;

  template <class Service>
  double solve(std::uint32_t cores, Service service) const {
    return TicketLockChain(cores, compute, service).throughput() * 1000;
  }
  double at_best(std::uint32_t cores) const {
    return solve(cores, [this](std::uint32_t k) {
      if (k == 0) return critical_section;
      return std::max(critical_section, (k - 1) * transfer) + 2 * transfer;
    });
  }
  double at_worst(std::uint32_t cores) const {
    return solve(cores,
                 [this](std::uint32_t k) { return critical_section + (2 * k + 3) * transfer; });
  }
  double published(std::uint32_t cores) const {
    return solve(cores, [this](std::uint32_t k) { return critical_section + (k + 1) * transfer; });
  }

  double simulate(std::uint32_t cores) const {
    Lab lab(TestMachine{}.cores_per_node(64).same_l3(transfer).upgrade(1), cores);
    const auto spinlock = SpinLockChoice("ticket").make(lab.locks());
    RandomStream random(1, "compute");
    LockLoad load{.spinlock = *spinlock,
                  .lock = lab.word(),
                  .critical_section = {static_cast<std::int64_t>(critical_section * 1000)},
                  .think = [&] {
                    const double draw = static_cast<double>(random.below(1U << 30)) + 0.5;
                    const double ns = -compute * std::log(draw / (1U << 30));
                    return Picoseconds{static_cast<std::int64_t>(ns * 1000)};
                  }};
    for (std::uint32_t cpu = 0; cpu < cores; ++cpu) {
      lab.start(cpu, lock_for_ever(lab.thread(cpu), load));
    }
    return throughput(lab, load, nanoseconds(1'000'000), nanoseconds(9'000'000));
  }
};

}  // namespace

TEST_CASE("the chain: two cores by hand") {
  // Arrivals 2/10 and 1/10, departures 1/5 and 1/8: p1 = p0, p2 = p1 (1/10) / (1/8) = 0.8 p0.
  const TicketLockChain chain(2, 10,
                              [](std::uint32_t waiting) { return waiting == 0 ? 5.0 : 8.0; });
  CHECK(chain.probability(0) == doctest::Approx(1 / 2.8));
  CHECK(chain.probability(1) == doctest::Approx(1 / 2.8));
  CHECK(chain.probability(2) == doctest::Approx(0.8 / 2.8));
  CHECK(chain.throughput() == doctest::Approx((1 / 5.0 + 0.8 / 8) / 2.8));  // what leaves
}

TEST_CASE("the simulated lock lies between the best and the worst case of its mechanism") {
  for (const Setting& setting : {Setting{2000, 100}, Setting{2000, 400}, Setting{500, 50}}) {
    for (const std::uint32_t cores : {1U, 2U, 4U, 8U, 11U, 16U, 24U, 32U, 64U}) {
      CAPTURE(setting.compute);
      CAPTURE(setting.critical_section);
      CAPTURE(cores);
      const double simulated = setting.simulate(cores);
      // 2 %: sampling, 8 ms of a random process.
      CHECK(simulated < setting.at_best(cores) * 1.02);
      CHECK(simulated > setting.at_worst(cores) * 0.98);
    }
  }
}

TEST_CASE("the published model is met before the collapse, and well beyond it") {
  const Setting setting{2000, 100};
  for (const std::uint32_t cores : {2U, 4U, 6U, 8U, 10U}) {
    CAPTURE(cores);
    CHECK(setting.simulate(cores) == doctest::Approx(setting.published(cores)).epsilon(0.02));
  }
  // The simulated refills overlap the critical section, which the model adds to them.
  for (const std::uint32_t cores : {32U, 48U, 64U}) {
    CAPTURE(cores);
    CHECK(setting.simulate(cores) == doctest::Approx(setting.published(cores)).epsilon(0.15));
  }
}

TEST_CASE("the lock collapses: more CPUs get less done") {
  const Setting setting{2000, 100};
  std::vector<double> simulated{0}, published{0};
  for (std::uint32_t cores = 1; cores <= 24; ++cores) {
    simulated.push_back(setting.simulate(cores));
    published.push_back(setting.published(cores));
  }
  const auto peak = [](const std::vector<double>& curve) {
    return std::max_element(curve.begin(), curve.end()) - curve.begin();
  };
  CHECK(std::abs(peak(simulated) - peak(published)) <= 2);
  CHECK(*std::max_element(simulated.begin(), simulated.end()) ==
        doctest::Approx(*std::max_element(published.begin(), published.end())).epsilon(0.1));
  CHECK(simulated[16] < 0.6 * simulated[11]);
  CHECK(setting.simulate(64) < simulated[2]);
}
