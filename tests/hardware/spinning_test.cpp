// CPUs that wait for another to write: woken in time, and always.

#include <doctest/doctest.h>

#include <deque>

#include "../support/lab.hpp"
#include "futexsim/engine/random.hpp"

using namespace futexsim;

namespace {

Task<> wait_for(Cpu& cpu, Word& word, std::uint32_t wanted, Picoseconds& done) {
  co_await cpu.spin_until(word, [wanted](std::uint32_t value) { return value == wanted; });
  done = cpu.now();
}

Task<> add_twice(Cpu& cpu, Word& word, Picoseconds between) {
  co_await cpu.fetch_add(word, 1);
  co_await cpu.compute(between);
  co_await cpu.fetch_add(word, 1);
}

Task<> store_once(Cpu& cpu, Word& word, std::uint32_t value) {
  co_await cpu.store(word, value);
}

/// Meets all others again and again at counters on a few lines, with random pauses and with
/// stores to the counters' neighbours.
struct Barrier {
  std::deque<Word*> counters;
  std::deque<Word*> neighbours;
  std::uint32_t members = 0;
  std::uint32_t rounds = 0;
  std::uint32_t finished = 0;
  std::uint32_t early = 0;  ///< passed before all were there
};

Task<> meet(Cpu& cpu, Barrier& barrier, RandomStream& random) {
  const auto lines = static_cast<std::uint32_t>(barrier.counters.size());
  for (std::uint32_t round = 0; round < barrier.rounds; ++round) {
    Word& counter = *barrier.counters[round % lines];
    const std::uint32_t all = barrier.members * (round / lines + 1);
    const std::uint64_t pause = random.below(60);
    co_await cpu.compute(nanoseconds(static_cast<std::int64_t>(pause)));
    if (random.chance(1, 3)) co_await cpu.store(*barrier.neighbours[random.below(lines)], round);
    co_await cpu.fetch_add(counter, 1);
    const std::uint32_t seen =
        co_await cpu.spin_until(counter, [all](std::uint32_t value) { return value >= all; });
    barrier.early += seen < all;
  }
  ++barrier.finished;
}

}  // namespace

TEST_CASE("a spinner whose condition holds already does not wait") {
  Lab lab(TestMachine{}.plain(1), 2);
  Word& word = lab.word_owned_by(1);
  word.value = 7;
  Picoseconds done;
  lab.start(1, wait_for(lab.cpu(1), word, 7, done), nanoseconds(10));
  CHECK(lab.run_to_end());
  CHECK(done == nanoseconds(11));
}

TEST_CASE("a spinner sees another core's write one transfer after the write") {
  // Reads from 0 to 20, spins. The owner, now a sharer, writes from 1000 to 1010; the next copy
  // arrives 20 later.
  Lab lab(TestMachine{}.same_l3(20).upgrade(0.5), 2);
  Word& word = lab.word_owned_by(0);
  Picoseconds seen, written;
  lab.start(1, wait_for(lab.cpu(1), word, 1, seen));
  lab.start(0, add_once(lab.cpu(0), word, written), nanoseconds(1000));
  lab.run_until(nanoseconds(900));
  CHECK(lab.can_read(word, 1));
  CHECK(lab.run_to_end());
  CHECK(written == nanoseconds(1010));
  CHECK(seen == nanoseconds(1030));
}

TEST_CASE("spinning costs no events, however long it lasts") {
  const auto events = [](Picoseconds write_at) {
    Lab lab(TestMachine{}, 2);
    Word& word = lab.word_owned_by(0);
    Picoseconds seen, written;
    lab.start(1, wait_for(lab.cpu(1), word, 1, seen));
    lab.start(0, add_once(lab.cpu(0), word, written), write_at);
    CHECK(lab.run_to_end());
    return lab.simulation().events();
  };
  CHECK(events(nanoseconds(1000)) == events(nanoseconds(1'000'000'000)));
}

TEST_CASE("where a spinner's time went: the line, and the rest spinning") {
  Lab lab(TestMachine{}.same_l3(20).upgrade(0.5), 2);
  Word& word = lab.word_owned_by(0);
  Picoseconds seen, written;
  lab.start(1, wait_for(lab.cpu(1), word, 1, seen));
  lab.start(0, add_once(lab.cpu(0), word, written), nanoseconds(1000));
  CHECK(lab.run_to_end());
  CHECK(lab.cpu(1).time().spinning == static_cast<std::uint64_t>(nanoseconds(1000 - 20).count));
  CHECK(lab.cpu(1).time().line == static_cast<std::uint64_t>(nanoseconds(20 + 30).count));
  CHECK(lab.cpu(1).time().computing == 0);
}

TEST_CASE("a sibling's write, which invalidates nothing, wakes a spinner across the core") {
  // CPUs 0 and 2 share a core, which owns the line.
  Lab lab(TestMachine{}.threads_per_core(2).same_core(4), 4);
  Word& word = lab.word_owned_by(0);
  Picoseconds seen, written;
  lab.start(2, wait_for(lab.cpu(2), word, 1, seen));
  lab.start(0, add_once(lab.cpu(0), word, written), nanoseconds(1000));
  CHECK(lab.run_to_end());
  CHECK(written == nanoseconds(1000));
  CHECK(seen == nanoseconds(1004));
}

TEST_CASE("a sibling's plain store wakes a spinner as an atomic does") {
  Lab lab(TestMachine{}.threads_per_core(2).same_core(4), 4);
  Word& word = lab.word_owned_by(0);
  Picoseconds seen;
  lab.start(2, wait_for(lab.cpu(2), word, 5, seen));
  lab.start(0, store_once(lab.cpu(0), word, 5), nanoseconds(1000));
  CHECK(lab.run_to_end());
  CHECK(seen == nanoseconds(1004));
}

TEST_CASE("a write that doesn't satisfy the spinner leaves it spinning until the next") {
  // Written at 1010, 0.5 of 20 after the request. The owner must fetch it back for its second
  // write at 1000 + 10 + 500, as the spinner holds a copy again: another upgrade.
  Lab lab(TestMachine{}.same_l3(20).upgrade(0.5), 2);
  Word& word = lab.word_owned_by(0);
  Picoseconds seen;
  lab.start(1, wait_for(lab.cpu(1), word, 2, seen));
  lab.start(0, add_twice(lab.cpu(0), word, nanoseconds(500)), nanoseconds(1000));
  CHECK(lab.run_to_end());
  CHECK(seen == nanoseconds(1510 + 10 + 20));
}

TEST_CASE("a write to the line's other word makes a spinner look again, and wait on") {
  Lab lab(TestMachine{}.same_l3(20), 2);
  Word& word = lab.word_owned_by(0);
  Word& neighbour = lab.beside(word);
  Picoseconds seen, first;
  lab.start(1, wait_for(lab.cpu(1), word, 1, seen));
  lab.start(0, add_once(lab.cpu(0), neighbour, first), nanoseconds(1000));
  lab.run_until(nanoseconds(1500));
  CHECK(seen == Picoseconds{});
  CHECK(lab.can_read(word, 1));
  CHECK(lab.transfers(Distance::same_l3) == 3);
  CHECK(neighbour.value == 1);
}

TEST_CASE("all spinners of a line see the write, one after the other") {
  Lab lab(TestMachine{}.cores_per_node(4).same_l3(20).upgrade(0.5), 4);
  Word& word = lab.word_owned_by(0);
  std::vector<Picoseconds> seen(4);
  for (const std::uint32_t cpu : {1U, 2U, 3U}) {
    lab.start(cpu, wait_for(lab.cpu(cpu), word, 1, seen[cpu]), nanoseconds(100 * cpu));
  }
  Picoseconds written;
  lab.start(0, add_once(lab.cpu(0), word, written), nanoseconds(1000));
  CHECK(lab.run_to_end());
  CHECK(written == nanoseconds(1010));
  CHECK(seen[1] == nanoseconds(1030));
  CHECK(seen[2] == nanoseconds(1050));
  CHECK(seen[3] == nanoseconds(1070));
}

TEST_CASE("no wake-up is lost: 24 CPUs meet 60 times at each of three lines, on any machine") {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    CAPTURE(seed);
    TestMachine machine;
    machine.nodes(2).cores_per_node(6).l3_groups_per_node(2).threads_per_core(2);
    machine.hold_window(static_cast<double>(seed % 4 * 4)).atomic(8).plain(seed % 2 == 0 ? 1 : 0);
    if (seed % 3 == 0) machine.moesi();
    if (seed % 3 == 1) machine.home_snoop();
    Lab lab(machine, 24);
    Barrier barrier;
    barrier.members = 24;
    barrier.rounds = 180;
    for (std::uint32_t i = 0; i < 3; ++i) {
      barrier.counters.push_back(&lab.word(i % 2));
      barrier.neighbours.push_back(&lab.beside(*barrier.counters.back()));
    }
    std::deque<RandomStream> random;
    for (std::uint32_t cpu = 0; cpu < 24; ++cpu) {
      random.emplace_back(seed, "pauses", cpu);
      lab.start(cpu, meet(lab.cpu(cpu), barrier, random.back()));
    }
    REQUIRE(lab.run_to_end());
    CHECK(barrier.finished == 24);
    CHECK(barrier.early == 0);
    for (const Word* counter : barrier.counters) CHECK(counter->value == 24 * 60);
  }
}
