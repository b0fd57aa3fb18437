// Several cores that want one line: the hold window, the order of requesters, one owner.

#include <doctest/doctest.h>

#include <vector>

#include "../support/lab.hpp"

using namespace futexsim;

namespace {

constexpr Picoseconds one_ps{1};

Task<> add_forever(Cpu& cpu, Word& word, Picoseconds think, std::uint32_t times) {
  for (std::uint32_t i = 0; i < times; ++i) {
    co_await cpu.compute(think);
    co_await cpu.fetch_add(word, 1);
  }
}

}  // namespace

TEST_CASE("the old owner keeps the use of a requested line until t, and loses it at t") {
  // Asked for at 100 ns, taken away at 105, arrives at 120.
  Lab lab(TestMachine{}.same_l3(20).hold_window(5), 2);
  Word& word = lab.word_owned_by(0);
  Picoseconds done;
  lab.start(1, add_once(lab.cpu(1), word, done), nanoseconds(100));
  lab.run_until(nanoseconds(105) - one_ps);
  CHECK(lab.can_write(word, 0));
  lab.run_until(nanoseconds(105));
  CHECK_FALSE(lab.can_write(word, 0));
  CHECK_FALSE(lab.can_read(word, 0));
  CHECK_FALSE(lab.can_read(word, 1));
  lab.run_until(nanoseconds(120));
  CHECK(lab.can_write(word, 1));
}

TEST_CASE("an atomic inside the window hits; at its end it queues behind the transfer") {
  const auto owner_asks_at = [](Picoseconds at) {
    Lab lab(TestMachine{}.same_l3(20).hold_window(5), 2);
    Word& word = lab.word_owned_by(0);
    Picoseconds requester, owner;
    lab.start(1, add_once(lab.cpu(1), word, requester), nanoseconds(100));
    lab.start(0, add_once(lab.cpu(0), word, owner), at);
    CHECK(lab.run_to_end());
    CHECK(requester == nanoseconds(120));
    CHECK(word.value == 2);
    return owner;
  };
  CHECK(owner_asks_at(nanoseconds(105) - one_ps) == nanoseconds(105) - one_ps);
  CHECK(owner_asks_at(nanoseconds(105)) == nanoseconds(120 + 20));
}

TEST_CASE("a read request leaves the owner its copy to read, but not to write") {
  Lab lab(TestMachine{}.same_l3(20).hold_window(5), 2);
  Word& word = lab.word_owned_by(0);
  Picoseconds done;
  lab.start(1, read_once(lab.cpu(1), word, done), nanoseconds(100));
  lab.run_until(nanoseconds(110));
  CHECK(lab.can_read(word, 0));
  CHECK_FALSE(lab.can_write(word, 0));
}

TEST_CASE("a window longer than the transfer ends with it") {
  Lab lab(TestMachine{}.same_l3(20).hold_window(500), 2);
  Word& word = lab.word_owned_by(0);
  Picoseconds done;
  lab.start(1, add_once(lab.cpu(1), word, done), nanoseconds(100));
  lab.run_until(nanoseconds(120));
  CHECK(done == nanoseconds(120));
  CHECK_FALSE(lab.can_write(word, 0));
}

TEST_CASE("requesters below one L3 get the line one after the other, in the order they asked") {
  // CPU 0 owns it. 3 asks first, then 1, then 4, then 2: one transfer of 20 ns after the other.
  Lab lab(TestMachine{}.cores_per_node(5).same_l3(20), 5);
  Word& word = lab.word_owned_by(0);
  std::vector<Picoseconds> done(5);
  std::int64_t asked = 100;
  for (const std::uint32_t cpu : {3U, 1U, 4U, 2U}) {
    lab.start(cpu, add_once(lab.cpu(cpu), word, done[cpu]), nanoseconds(asked++));
  }
  CHECK(lab.run_to_end());
  CHECK(done[3] == nanoseconds(120));
  CHECK(done[1] == nanoseconds(140));
  CHECK(done[4] == nanoseconds(160));
  CHECK(done[2] == nanoseconds(180));
  // The others queued from 101, 102 and 103 to 120, 140 and 160.
  CHECK(lab.memory().counts().queueing ==
        static_cast<std::uint64_t>(nanoseconds(19 + 38 + 57).count));
}

TEST_CASE("a line that has come from afar serves its new neighbours first, wherever its home is") {
  // CPU 2 gets it at 200. CPU 1, on the old socket, asked before CPU 3, beside CPU 2.
  for (const std::uint32_t home : {0U, 1U}) {
    Lab lab(TestMachine{}.nodes(2).same_l3(20).other_l3(20).crossing(40), 4);
    Word& word = lab.word_owned_by(0, home);
    std::vector<Picoseconds> done(4);
    for (const std::uint32_t cpu : {2U, 1U, 3U}) {
      const std::int64_t asked = cpu == 2 ? 100 : 100 + cpu;
      lab.start(cpu, add_once(lab.cpu(cpu), word, done[cpu]), nanoseconds(asked));
    }
    CHECK(lab.run_to_end());
    CHECK(done[2] == nanoseconds(200));
    CHECK(done[3] == nanoseconds(220));
    CHECK(done[1] == nanoseconds(320));
  }
}

TEST_CASE("all neighbours who waited go first, and in the order in which they asked") {
  // CPU 7 gets it at 200, and CPUs 8 to 13 beside it after 20 ns each, until 320. CPU 1 asked
  // before all of them, and needs 100 from there.
  Lab lab(TestMachine{}.nodes(2).cores_per_node(7).same_l3(20).other_l3(20).crossing(40), 14);
  Word& word = lab.word_owned_by(0);
  std::vector<Picoseconds> done(14);
  std::int64_t asked = 100;
  for (const std::uint32_t cpu : {7U, 1U, 13U, 12U, 11U, 10U, 9U, 8U}) {
    lab.start(cpu, add_once(lab.cpu(cpu), word, done[cpu]), nanoseconds(asked++));
  }
  CHECK(lab.run_to_end());
  CHECK(done[7] == nanoseconds(200));
  for (std::uint32_t cpu = 8; cpu <= 13; ++cpu) {
    CHECK(done[cpu] == nanoseconds(220 + 20 * (13 - cpu)));
  }
  CHECK(done[1] == nanoseconds(420));
}

TEST_CASE("who asks at the instant at which a line comes below its L3 has waited, later not") {
  // CPU 3 gets it at 200. CPU 1, on the old socket, asked at 150; CPU 2 is beside CPU 3.
  const auto done_when_asked_at = [](Picoseconds at) {
    Lab lab(TestMachine{}.nodes(2).same_l3(20).other_l3(20).crossing(40), 4);
    Word& word = lab.word_owned_by(0);
    std::vector<Picoseconds> done(4);
    lab.start(3, add_once(lab.cpu(3), word, done[3]), nanoseconds(100));
    lab.start(1, add_once(lab.cpu(1), word, done[1]), nanoseconds(150));
    lab.start(2, add_once(lab.cpu(2), word, done[2]), at);
    CHECK(lab.run_to_end());
    CHECK(done[3] == nanoseconds(200));
    return std::pair(done[1], done[2]);
  };
  CHECK(done_when_asked_at(nanoseconds(200)) == std::pair(nanoseconds(320), nanoseconds(220)));
  CHECK(done_when_asked_at(nanoseconds(200) + one_ps) ==
        std::pair(nanoseconds(300), nanoseconds(400)));
}

TEST_CASE("one transfer at a time on a line; two lines travel at once") {
  Lab lab(TestMachine{}.cores_per_node(3).same_l3(20), 3);
  Word& one = lab.word_owned_by(0);
  Word& other = lab.word_owned_by(0);
  Picoseconds first, second;
  lab.start(1, add_once(lab.cpu(1), one, first), nanoseconds(100));
  lab.start(2, add_once(lab.cpu(2), other, second), nanoseconds(101));
  CHECK(lab.run_to_end());
  CHECK(first == nanoseconds(120));
  CHECK(second == nanoseconds(121));
}

TEST_CASE("who waited below the L3 that a line comes to goes before an earlier stranger") {
  // CPUs 0 to 3 are on node 0, 4 to 7 on node 1; the line lies with 0. CPU 4 asks at 100 and has it
  // at 300. Meanwhile 1 asked, then 5. The line is on node 1 now, so 5 is served at 320, 1 at 520.
  // CPU 6 asks after the line has come to node 1: it waits its turn, and comes after 1.
  Lab lab(TestMachine{}.nodes(2).cores_per_node(4).same_l3(20).other_l3(20).crossing(90), 8);
  Word& word = lab.word_owned_by(0);
  std::vector<Picoseconds> done(8);
  const auto ask = [&](std::uint32_t cpu, std::int64_t at) {
    lab.start(cpu, add_once(lab.cpu(cpu), word, done[cpu]), nanoseconds(at));
  };
  ask(4, 100);
  ask(1, 150);
  ask(5, 200);
  ask(6, 310);
  CHECK(lab.run_to_end());
  CHECK(done[4] == nanoseconds(300));
  CHECK(done[5] == nanoseconds(320));
  CHECK(done[1] == nanoseconds(520));
  CHECK(done[6] == nanoseconds(720));
}

TEST_CASE("a line that the sibling has brought meanwhile only crosses the core") {
  // CPUs 1 and 3 share a core and ask at 100 and 101: 1 at 120, 3 four nanoseconds later.
  Lab lab(TestMachine{}.threads_per_core(2).same_l3(20).same_core(4), 4);
  Word& word = lab.word_owned_by(0);
  Picoseconds first, second;
  lab.start(1, add_once(lab.cpu(1), word, first), nanoseconds(50));  // computing halves the speed
  lab.start(3, add_once(lab.cpu(3), word, second), nanoseconds(51));
  CHECK(lab.run_to_end());
  CHECK(first == nanoseconds(120));
  CHECK(second == nanoseconds(124));
  CHECK(lab.transfers(Distance::same_l3) == 1);
  CHECK(lab.transfers(Distance::same_core) == 1);
}

TEST_CASE("no two cores may ever write one line, and no core may read what another may write") {
  // Eight cores with siblings read and write two lines for a while.
  const TestMachine machine = TestMachine{}
                                  .nodes(2)
                                  .cores_per_node(4)
                                  .l3_groups_per_node(2)
                                  .threads_per_core(2)
                                  .hold_window(3)
                                  .moesi();
  Lab lab(machine, 16);
  const std::vector<Word*> words{&lab.word(0), &lab.word_owned_by(5, 1)};
  for (std::uint32_t cpu = 0; cpu < 16; ++cpu) {
    lab.start(cpu, add_forever(lab.cpu(cpu), *words[cpu % 2], nanoseconds(10 + 7 * cpu), 50));
  }
  std::vector<Picoseconds> looks(16);
  std::uint64_t writable = 0, violations = 0;
  while (lab.simulation().step()) {
    for (const Word* word : words) {
      int writers = 0, readers = 0;
      for (std::uint32_t core = 0; core < 8; ++core) {  // CPU i < 8 is on core i
        writers += lab.can_write(*word, core);
        readers += lab.can_read(*word, core);
      }
      writable += static_cast<std::uint64_t>(writers);
      violations += writers > 1 || (writers == 1 && readers != 1);
    }
  }
  CHECK(violations == 0);
  CHECK(writable > 100);
  CHECK(words[0]->value == 8 * 50);
  CHECK(words[1]->value == 8 * 50);
}
