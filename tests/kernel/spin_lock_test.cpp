// What every spinlock must do, whatever its kind: all that are registered.

#include <doctest/doctest.h>

#include <deque>

#include "../support/lock_contest.hpp"

using namespace futexsim;

TEST_CASE("1 to 64 CPUs and every lock: nobody waits for ever and no update is lost") {
  for (const std::string& name : SpinLockChoice::Parts::instance().names()) {
    for (const std::uint32_t cpus : {1U, 2U, 3U, 7U, 33U, 64U}) {
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        CAPTURE(name);
        CAPTURE(cpus);
        CAPTURE(seed);
        TestMachine machine;
        machine.nodes(2).cores_per_node(16).l3_groups_per_node(2).threads_per_core(2);
        machine.hold_window(static_cast<double>(seed % 3 * 6)).atomic(8).plain(1);
        if (seed % 2 == 0) machine.moesi();
        Lab lab(machine, cpus);
        const auto spinlock = SpinLockChoice(name).make(lab.locks());
        Word& lock = lab.word(static_cast<std::uint32_t>(seed % 2));
        // The counter beside the lock, or on a line of its own.
        Word& counter = seed % 4 < 2 ? lab.beside(lock) : lab.word();
        Contest contest{*spinlock, lock, counter, 40, seed % 3 == 0 ? 3000U : 200U};
        std::deque<RandomStream> random;
        for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) {
          random.emplace_back(seed, "think", cpu);
          lab.start_thread(cpu, compete(lab.thread(cpu), contest, random.back()));
        }
        REQUIRE(lab.run_to_end());
        CHECK(contest.finished == cpus);
        CHECK(contest.acquired.size() == 40 * cpus);
        CHECK(counter.value == 40 * cpus);  // increments without atomics: nobody else inside
      }
    }
  }
}
