// The ticket spinlock: first come, first served, and what its release costs.

#include <doctest/doctest.h>

#include <deque>

#include "../support/lock_contest.hpp"

using namespace futexsim;

namespace {

/// CPU 0 holds the lock until `release`; CPUs 1, 2, ... draw their tickets 1000 ns apart from 1000
/// on, and spin. Transfers take 20 ns, of which an upgrade is half.
struct Queue {
  Queue(std::uint32_t waiters, Picoseconds release, Picoseconds critical_section)
      : lab(TestMachine{}.cores_per_node(16).same_l3(20), waiters + 1),
        spinlock(SpinLockChoice("ticket").make(lab.locks())),
        lock(lab.word_owned_by(0)),
        acquired(waiters + 1) {
    lab.start(0, hold_once(*spinlock, lab.thread(0), lock, release, acquired[0]));
    for (std::uint32_t cpu = 1; cpu <= waiters; ++cpu) {
      lab.start(cpu, hold_once(*spinlock, lab.thread(cpu), lock, critical_section, acquired[cpu]),
                nanoseconds(cpu * 1000));
    }
  }

  Lab lab;
  std::unique_ptr<SpinLock> spinlock;
  Word& lock;
  std::vector<Picoseconds> acquired;
};

/// Which core drew the next ticket, as an onlooker sees it after each event: an xadd makes the line
/// its core's own.
struct Draws {
  std::vector<std::uint32_t> cores{};
  std::uint32_t tail = 0;

  void look(const Word& lock) {
    const std::uint32_t now = lock.value >> 16;
    if (std::exchange(tail, now) != now) cores.push_back(lock.line->responder.value);
  }
};

}  // namespace

TEST_CASE("alone, a ticket lock is one atomic, and its release a load and a store") {
  Lab lab(TestMachine{}.atomic(8).plain(1), 1);
  const auto spinlock = SpinLockChoice("ticket").make(lab.locks());
  Picoseconds acquired;
  Word& lock = lab.word_owned_by(0);
  lab.start(0, hold_once(*spinlock, lab.thread(0), lock, nanoseconds(10), acquired));
  CHECK(lab.run_to_end());
  CHECK(acquired == nanoseconds(8));
  CHECK(lab.simulation().now() == nanoseconds(8 + 10 + 1));  // the store's cost comes after it
  CHECK(lock.value == 0x0001'0001);
}

TEST_CASE("every release takes the line from all spinners, who fetch it one by one") {
  Queue queue(3, nanoseconds(10'000), nanoseconds(1000));
  queue.lab.run_until(nanoseconds(9'999));
  const std::uint64_t before = queue.lab.transfers(Distance::same_l3);
  CHECK(queue.lab.run_to_end());
  // CPU 0 has lost its copy to the tickets: load 20 ns, upgrade 10 ns. Then the spinners' copies,
  // 20 ns each, and the oldest's comes last: who drew a ticket had the line at once, and the others
  // spun on theirs after it.
  const std::int64_t first = 10'000 + 20 + 10 + 3 * 20;
  CHECK(queue.acquired[1] == nanoseconds(first));
  // Who has spun has a copy: upgrade 10 ns, and the copies of those that are left.
  const std::int64_t second = first + 1000 + 10 + 2 * 20;
  CHECK(queue.acquired[2] == nanoseconds(second));
  CHECK(queue.acquired[3] == nanoseconds(second + 1000 + 10 + 20));
  CHECK(queue.lab.transfers(Distance::same_l3) - before == (2 + 3) + (1 + 2) + (1 + 1) + 1);
}

TEST_CASE("a ticket drawn while a release is on its way isn't lost") {
  Lab lab(TestMachine{}.cores_per_node(3).same_l3(20), 3);
  const auto spinlock = SpinLockChoice("ticket").make(lab.locks());
  Word& lock = lab.word_owned_by(0);
  std::vector<Picoseconds> acquired(3);
  const auto start = [&](std::uint32_t cpu, std::int64_t critical_section, std::int64_t at) {
    lab.start(
        cpu,
        hold_once(*spinlock, lab.thread(cpu), lock, nanoseconds(critical_section), acquired[cpu]),
        nanoseconds(at));
  };
  start(0, 10'000, 0);
  start(1, 1000, 1000);
  // CPU 0 loads the line from 10000 to 10020 ns and then asks for it again; CPU 2 has asked
  // meanwhile, and draws its ticket at 10040.
  start(2, 1000, 10'005);
  lab.run_until(nanoseconds(10'041));
  CHECK(lock.value == 0x0003'0000);
  CHECK(lab.run_to_end());
  CHECK(lock.value == 0x0003'0003);
  CHECK(acquired[1] > nanoseconds(10'041));
  CHECK(acquired[2] > acquired[1] + nanoseconds(1000));
}

TEST_CASE("strictly first come, first served, and mutual exclusion") {
  for (const std::uint32_t cpus : {2U, 3U, 8U, 32U}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      CAPTURE(cpus);
      CAPTURE(seed);
      TestMachine machine;
      machine.nodes(2).cores_per_node(16).hold_window(static_cast<double>(seed % 3 * 6));
      if (seed % 2 == 0) machine.moesi();
      Lab lab(machine, cpus);
      const auto spinlock = SpinLockChoice("ticket").make(lab.locks());
      Word& lock = lab.word();
      lock.value = 0xfff0'fff0;  // both halves are going to overflow
      Word& counter = seed % 4 < 2 ? lab.beside(lock) : lab.word();
      Contest contest{*spinlock, lock, counter, 40, seed % 3 == 0 ? 3000U : 200U};
      std::deque<RandomStream> random;
      for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) {
        random.emplace_back(seed, "think", cpu);
        lab.start(cpu, compete(lab.thread(cpu), contest, random.back()));
      }
      Draws draws{.tail = 0xfff0};
      while (lab.simulation().step()) draws.look(lock);
      CHECK(contest.finished == cpus);
      CHECK(counter.value == 40 * cpus);
      CHECK(contest.acquired == draws.cores);  // core i is CPU i
      const std::uint32_t tickets = (0xfff0 + 40 * cpus) & 0xffff;
      CHECK(lock.value == (tickets << 16 | tickets));
    }
  }
}
