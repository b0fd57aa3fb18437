// What happens side by side, and what waits its turn: reads of a shared line, requests at a home.

#include <doctest/doctest.h>

#include <array>

#include "../support/lab.hpp"

using namespace futexsim;

namespace {

TestMachine four_cores() {
  return TestMachine{}.cores_per_node(4).same_l3(20).upgrade(0.5);
}

/// When CPUs 1 to 3 have read, all at 100 ns, what CPU 0 wrote.
std::array<Picoseconds, 3> three_readers(Lab& lab, Word& word) {
  std::array<Picoseconds, 3> done;
  for (std::uint32_t i = 0; i < 3; ++i) {
    lab.start(i + 1, read_once(lab.cpu(i + 1), word, done[i]), nanoseconds(100));
  }
  CHECK(lab.run_to_end());
  return done;
}

}  // namespace

TEST_CASE("without an interval each read waits until the one before has its data") {
  Lab lab(four_cores(), 4);
  const auto done = three_readers(lab, lab.word_owned_by(0));
  CHECK(done[0] == nanoseconds(120));
  CHECK(done[1] == nanoseconds(140));
  CHECK(done[2] == nanoseconds(160));
}

TEST_CASE(
    "reads of a shared line overlap, an interval apart; the first one takes it from its owner") {
  // 20 ns alone; then both others set out, 5 ns apart, and take 20 ns each.
  Lab lab(four_cores().read_interval(5), 4);
  const auto done = three_readers(lab, lab.word_owned_by(0));
  CHECK(done[0] == nanoseconds(120));
  CHECK(done[1] == nanoseconds(140));
  CHECK(done[2] == nanoseconds(145));
}

TEST_CASE("a write waits for all reads before it, and reads after it for the write") {
  // The readers are done at 145; the upgrade takes half a transfer.
  Lab lab(four_cores().read_interval(5), 4);
  Word& word = lab.word_owned_by(0);
  Picoseconds written;
  lab.start(0, add_once(lab.cpu(0), word, written), nanoseconds(121));
  three_readers(lab, word);
  CHECK(written == nanoseconds(155));
}

TEST_CASE("a home that is busy for a while takes requests between sockets one after another") {
  // Two lines of one home, each 100 ns from who asks for it at 100 ns.
  const auto second_done = [](const TestMachine& machine, std::uint32_t second_home) {
    Lab lab(machine, 4);
    Word& first = lab.word_owned_by(0);
    Word& second = lab.word_owned_by(1, second_home);
    Picoseconds one, two;
    lab.start(2, add_once(lab.cpu(2), first, one), nanoseconds(100));
    lab.start(3, add_once(lab.cpu(3), second, two), nanoseconds(100));
    CHECK(lab.run_to_end());
    CHECK(one == nanoseconds(200));
    return two;
  };
  const TestMachine machine = TestMachine{}.nodes(2).same_l3(20).other_l3(20).crossing(40);
  CHECK(second_done(machine, 0) == nanoseconds(200));
  CHECK(second_done(TestMachine(machine).home_service(30), 0) == nanoseconds(230));
  CHECK(second_done(TestMachine(machine).home_service(30), 1) == nanoseconds(200));
}

TEST_CASE("transfers below one L3 don't ask the home") {
  Lab lab(TestMachine{}.cores_per_node(4).same_l3(20).home_service(30), 4);
  Word& first = lab.word_owned_by(0);
  Word& second = lab.word_owned_by(1);
  Picoseconds one, two;
  lab.start(2, add_once(lab.cpu(2), first, one), nanoseconds(100));
  lab.start(3, add_once(lab.cpu(3), second, two), nanoseconds(100));
  CHECK(lab.run_to_end());
  CHECK(one == nanoseconds(120));
  CHECK(two == nanoseconds(120));
}
