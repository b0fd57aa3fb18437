// CNA: which waiter is next when waiters of two nodes queue, and for how long some are passed over.

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>

#include "../support/lock_contest.hpp"

using namespace futexsim;

namespace {

SpinLockChoice cna(std::uint32_t threshold_ns, std::uint32_t shuffle_reduction) {
  return SpinLockChoice(Document("cna", {{"name", "cna"},
                                         {"numa_spinlock_threshold", threshold_ns},
                                         {"shuffle_reduction", shuffle_reduction}})
                            .cursor());
}

constexpr std::uint32_t for_ever = 1'000'000'000;

/// CPUs in the order in which they get the lock when they ask for it 1000 ns apart in the order of
/// `asking`, and each holds it for 100 us. CPUs 0-7 are on node 0, 8-15 on node 1.
std::vector<std::uint32_t> order(const SpinLockChoice& choice,
                                 const std::vector<std::uint32_t>& asking) {
  Lab lab(TestMachine{}.nodes(2).cores_per_node(8).plain(1).atomic(8), 16);
  const auto spinlock = choice.make(lab.locks());
  Word& lock = lab.word();
  std::vector<Picoseconds> acquired(16);
  for (std::size_t i = 0; i < asking.size(); ++i) {
    const std::uint32_t cpu = asking[i];
    lab.start(cpu, hold_once(*spinlock, lab.thread(cpu), lock, nanoseconds(100'000), acquired[cpu]),
              nanoseconds(static_cast<std::int64_t>(1000 * (i + 1))));
  }
  REQUIRE(lab.run_to_end());
  std::vector<std::uint32_t> out = asking;
  std::sort(out.begin(), out.end(),
            [&](std::uint32_t a, std::uint32_t b) { return acquired[a] < acquired[b]; });
  return out;
}

/// All CPUs of two nodes at one lock, without a pause. They come in turn from one node and the
/// other, 1000 ns apart, while the first has the lock: so they queue, and in that order.
struct Rush {
  Rush(const SpinLockChoice& choice, std::int64_t critical_section, std::int64_t end_us)
      : critical_section_ns(critical_section),
        lab(TestMachine{}.nodes(2).cores_per_node(8).plain(1).atomic(8), 16),
        spinlock(choice.make(lab.locks())),
        lock(lab.word()),
        last(16),
        longest(16) {
    for (std::uint32_t cpu = 0; cpu < 16; ++cpu) {
      last[cpu] = nanoseconds(1000 * (cpu % 8 * 2 + cpu / 8));
      lab.start(cpu, loop(lab.thread(cpu)), last[cpu]);
    }
    lab.run_until(nanoseconds(end_us * 1000));
    for (std::uint32_t cpu = 0; cpu < 16; ++cpu) note(cpu);
  }

  Task<> loop(Thread& thread) {
    Cpu& cpu = thread.cpu();
    for (;;) {
      co_await spinlock->acquire(thread, lock);
      order.push_back(cpu.id().value);
      note(cpu.id().value);
      if (order.size() == 1) co_await cpu.compute(nanoseconds(20'000));
      co_await cpu.compute(nanoseconds(critical_section_ns));
      co_await spinlock->release(thread, lock);
    }
  }
  void note(std::uint32_t cpu) {
    const Picoseconds now = lab.simulation().now();
    longest[cpu] = std::max(longest[cpu], now - std::exchange(last[cpu], now));
  }

  Picoseconds longest_wait() const { return *std::max_element(longest.begin(), longest.end()); }
  /// Hand-overs that stay on a node, of all.
  double local() const {
    std::size_t local = 0;
    for (std::size_t i = 1; i < order.size(); ++i) local += order[i] / 8 == order[i - 1] / 8;
    return static_cast<double>(local) / static_cast<double>(order.size() - 1);
  }

  std::int64_t critical_section_ns;
  Lab lab;
  std::unique_ptr<SpinLock> spinlock;
  Word& lock;
  std::vector<std::uint32_t> order{};
  std::vector<Picoseconds> last, longest;
};

}  // namespace

TEST_CASE("waiters of the head's node go first, then the others in the order of queueing") {
  // 0 holds the lock, 1 is pending, 2 the head of the queue.
  const std::vector<std::uint32_t> asking{0, 1, 2, 8, 3, 9, 10, 4, 11, 5};
  CHECK(order(SpinLockChoice("qspinlock"), asking) == asking);
  CHECK(order(cna(for_ever, 0), asking) ==
        std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 8, 9, 10, 11});
}

TEST_CASE("the last in the queue isn't passed over, not even after others of its node were") {
  // 3 finds 9 behind it and nobody else: 9 gets the lock as if it were local, and 8 after it.
  CHECK(order(cna(for_ever, 0), {0, 1, 2, 8, 3, 9}) ==
        std::vector<std::uint32_t>{0, 1, 2, 3, 9, 8});
}

TEST_CASE("who has been passed over for the threshold comes next") {
  // 8 is passed over at 5 us. 2 has the lock from 200 us on, when 3 becomes the head; it gets the
  // lock at 300 us and hands the queue to whoever is next.
  const std::vector<std::uint32_t> asking{0, 1, 2, 8, 3, 9, 4, 5};
  // 9 passes 4 over in turn, but not 5, the last.
  CHECK(order(cna(190'000, 0), asking) == std::vector<std::uint32_t>{0, 1, 2, 3, 8, 9, 5, 4});
  // 4 becomes the head at 300 us.
  CHECK(order(cna(210'000, 0), asking) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 8, 9, 5});
  CHECK(order(cna(for_ever, 0), asking) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 8, 9});
}

TEST_CASE("the shuffle begins once in 2^bits hand-overs of a CPU") {
  // 2's draw decides: with 31 bits it never is the one in 2^31.
  const std::vector<std::uint32_t> asking{0, 1, 2, 8, 3, 9, 4};
  CHECK(order(cna(for_ever, 31), asking) == asking);
}

TEST_CASE("nobody starves: waits are bounded by the threshold") {
  // 16 CPUs that hold the lock for 500 ns, the first once for 20 us, and hand it over in less than
  // 300: a round is 13 us.
  const Picoseconds round = nanoseconds(16 * 800);
  const Rush fair(SpinLockChoice("qspinlock"), 500, 2000);
  CHECK(fair.longest_wait() < nanoseconds(20'000) + round);
  // Passed over for a threshold until the next head looks, and behind those of the own node.
  const Picoseconds threshold = nanoseconds(50'000);
  const Rush bounded(cna(50'000, 0), 500, 2000);
  CHECK(bounded.longest_wait() > threshold);
  CHECK(bounded.longest_wait() < threshold + round);
  // Without a bound, one node has the lock for good.
  const Rush unbounded(cna(for_ever, 0), 500, 2000);
  CHECK(unbounded.longest_wait() > nanoseconds(1'900'000));
}

TEST_CASE("the lock stays on a node, and gets around faster for it") {
  const Rush fair(SpinLockChoice("qspinlock"), 500, 2000);
  const Rush local(cna(50'000, 0), 500, 2000);
  CHECK(fair.local() < 0.05);
  CHECK(local.local() > 0.95);
  CHECK(local.order.size() > fair.order.size());
}

TEST_CASE("the head orders the queue only while the lock is held: hardly when that is short") {
  // The lock is mostly free again before the new head has looked at it.
  const Rush local(cna(50'000, 0), 10, 2000);
  CHECK(local.local() < 0.5);
}

TEST_CASE("alone, CNA costs what qspinlock costs") {
  for (const char* name : {"qspinlock", "cna"}) {
    CAPTURE(name);
    Lab lab(TestMachine{}.atomic(8).plain(1), 1);
    const auto spinlock = SpinLockChoice(name).make(lab.locks());
    Picoseconds acquired;
    lab.start(0,
              hold_once(*spinlock, lab.thread(0), lab.word_owned_by(0), nanoseconds(10), acquired));
    CHECK(lab.run_to_end());
    CHECK(acquired == nanoseconds(8));
  }
}

TEST_CASE("the threshold is 1 ms unless told otherwise") {
  const auto resolved = SpinLockChoice("cna").resolved();
  CHECK(resolved.at("numa_spinlock_threshold") == 1'000'000);
  CHECK(resolved.at("shuffle_reduction") == 7);
}
