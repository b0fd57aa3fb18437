// The parts that READMEs add by example: found by their names, and at work.

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <deque>

#include "../support/futex_hash_lab.hpp"
#include "../support/lock_contest.hpp"

using namespace futexsim;

TEST_CASE("a spinlock is one file: a config can name it, and it excludes") {
  CHECK(SpinLockChoice(Document("config", "test-and-set").cursor()).name() == "test-and-set");
  Lab lab(TestMachine{}.nodes(2).cores_per_node(8), 16);
  const auto spinlock = SpinLockChoice("test-and-set").make(lab.locks());
  Word& counter = lab.word();
  Contest contest{*spinlock, lab.word(), counter, 100, 300};
  std::deque<RandomStream> random;
  for (std::uint32_t cpu = 0; cpu < 16; ++cpu) {
    random.emplace_back(1, "think", cpu);
    lab.start(cpu, compete(lab.thread(cpu), contest, random.back()));
  }
  CHECK(lab.run_to_end());
  CHECK(contest.finished == 16);
  CHECK(counter.value == 16 * 100);
}

TEST_CASE("a workload is one file: a config can name it, and its threads take turns") {
  const WorkloadChoice choice(Document("config", {{"name", "ping-pong"}, {"threads", 2}}).cursor());
  KernelLab lab(TestMachine{}, TestKernel{}, 2);
  RandomStream random(1, "heap");
  const Placement placement = choice.make()->place(choice.cursor(), lab.hardware().topology());
  const auto running = choice.make()->start({lab.kernel(), lab.hardware(), placement, random});
  while (running->operations() < 1000) REQUIRE(lab.simulation().step());
  CHECK(running->operations_by_thread() == std::vector<std::uint64_t>{500, 500});
}

TEST_CASE("a kernel that names it runs perf bench futex hash on it") {
  FutexHashLab lab(TestMachine{}.cores_per_node(4),
                   TestKernel::shipped("before-2025").policy("global", 2).spinlock("test-and-set"),
                   4, 1);
  CHECK(lab.run_operations(1000));
  CHECK(lab.kernel().acquires() >= lab.kernel().releases());
  CHECK(lab.kernel().releases() >= 1000);
}
