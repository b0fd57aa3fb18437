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

TEST_CASE("neighbours of a line's new holder go first until the home's next snoop can be there") {
  // Home on the old socket. CPU 7 gets the line at 200, so the home's next snoop is there at 280.
  // Until then CPUs 13 to 9 have their turns; then CPU 1, who asked before all of them, and from
  // the old socket CPU 8 again.
  Lab lab(TestMachine{}.nodes(2).cores_per_node(7).same_l3(20).other_l3(20).crossing(40), 14);
  Word& word = lab.word_owned_by(0);
  std::vector<Picoseconds> done(14);
  std::int64_t asked = 100;
  for (const std::uint32_t cpu : {7U, 1U, 13U, 12U, 11U, 10U, 9U, 8U}) {
    lab.start(cpu, add_once(lab.cpu(cpu), word, done[cpu]), nanoseconds(asked++));
  }
  CHECK(lab.run_to_end());
  CHECK(done[7] == nanoseconds(200));
  for (std::uint32_t cpu = 9; cpu <= 13; ++cpu) {
    CHECK(done[cpu] == nanoseconds(220 + 20 * (13 - cpu)));
  }
  CHECK(done[1] == nanoseconds(400));
  CHECK(done[8] == nanoseconds(500));
}

TEST_CASE(
    "at the line's home only who waits when it comes goes first, or until the hold window ends") {
  // CPU 3 gets it at 200; CPU 1, on the other socket, asked at 150, CPU 4 at 160 and CPU 5, both
  // beside CPU 3, at 210.
  const auto done_with = [](const TestMachine& machine, std::uint32_t home) {
    Lab lab(TestMachine(machine).nodes(2).cores_per_node(3).same_l3(20).other_l3(20).crossing(40),
            6);
    Word& word = lab.word_owned_by(0, home);
    std::vector<Picoseconds> done(6);
    const auto ask = [&](std::uint32_t cpu, std::int64_t at) {
      lab.start(cpu, add_once(lab.cpu(cpu), word, done[cpu]), nanoseconds(at));
    };
    ask(3, 100);
    ask(1, 150);
    ask(4, 160);
    ask(5, 210);
    CHECK(lab.run_to_end());
    CHECK(done[3] == nanoseconds(200));
    CHECK(done[4] == nanoseconds(220));
    return std::pair(done[1], done[5]);
  };
  const auto stranger_first = std::pair(nanoseconds(320), nanoseconds(420));
  const auto neighbour_first = std::pair(nanoseconds(340), nanoseconds(240));
  CHECK(done_with(TestMachine{}, 1) == stranger_first);
  CHECK(done_with(TestMachine{}.hold_window(19), 1) == stranger_first);
  CHECK(done_with(TestMachine{}.hold_window(20), 1) == neighbour_first);
  CHECK(done_with(TestMachine{}, 0) == neighbour_first);
}

TEST_CASE("once the home's snoop is there, strangers go before neighbours who asked earlier") {
  // CPU 5 has held it, at its home, for long. CPU 3 beside it asks first, then CPU 4 and CPU 1: the
  // transfer to CPU 3 is under way, then CPU 1 goes before CPU 4.
  Lab lab(TestMachine{}.nodes(2).cores_per_node(3).same_l3(20).other_l3(20).crossing(40), 6);
  Word& word = lab.word_owned_by(5, 1);
  std::vector<Picoseconds> done(6);
  std::int64_t asked = 100;
  for (const std::uint32_t cpu : {3U, 4U, 1U}) {
    lab.start(cpu, add_once(lab.cpu(cpu), word, done[cpu]), nanoseconds(asked++));
  }
  CHECK(lab.run_to_end());
  CHECK(done[3] == nanoseconds(120));
  CHECK(done[1] == nanoseconds(220));
  CHECK(done[4] == nanoseconds(320));
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

TEST_CASE("a line that the sibling has brought meanwhile only crosses the core, before any other") {
  // CPUs 1 and 4 share a core and ask at 100 and 101, CPU 2 in between: 1 at 120, 4 four
  // nanoseconds later, and then CPU 2.
  Lab lab(TestMachine{}.threads_per_core(2).cores_per_node(3).same_l3(20).same_core(4), 6);
  Word& word = lab.word_owned_by(0);
  Picoseconds first, second, third;
  lab.start(1, add_once(lab.cpu(1), word, first), nanoseconds(50));  // computing halves the speed
  lab.start(4, add_once(lab.cpu(4), word, third), nanoseconds(51));
  lab.start(2, add_once(lab.cpu(2), word, second), nanoseconds(100) + Picoseconds{500});
  CHECK(lab.run_to_end());
  CHECK(first == nanoseconds(120));
  CHECK(third == nanoseconds(124));
  CHECK(second == nanoseconds(144));
  CHECK(lab.transfers(Distance::same_l3) == 2);
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
