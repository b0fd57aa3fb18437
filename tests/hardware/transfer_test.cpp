// How long a line takes to reach who asks for it: ready at t, not a picosecond before.

#include <doctest/doctest.h>

#include "../support/lab.hpp"

using namespace futexsim;

namespace {

constexpr Picoseconds one_ps{1};

/// CPU `requester` asks at 100 ns for a line that CPU `owner` wrote last. The latency after which
/// it may write; 0 unless that is also the instant at which its own access ends.
Picoseconds write_latency(Lab& lab, std::uint32_t owner, std::uint32_t requester,
                          std::uint32_t home) {
  const Picoseconds asked = nanoseconds(100);
  Word& word = lab.word_owned_by(owner, home);
  Picoseconds done;
  lab.start(requester, add_once(lab.cpu(requester), word, done), asked);
  if (!lab.run_to_end() || word.value != 1) return {};
  return done - asked;
}

Picoseconds write_latency(const TestMachine& machine, std::uint32_t owner, std::uint32_t requester,
                          std::uint32_t home = 0) {
  Lab lab(machine, machine.cores());
  return write_latency(lab, owner, requester, home);
}

/// Two sockets of two cores: CPUs 0 and 1, 2 and 3.
TestMachine two_sockets() {
  return TestMachine{}.nodes(2).same_l3(20).other_l3(20).crossing(40);
}

/// Two nodes of two L3 groups of two cores: CPUs 01 23 | 45 67.
TestMachine two_nodes_of_two_l3() {
  return TestMachine{}
      .nodes(2)
      .cores_per_node(4)
      .l3_groups_per_node(2)
      .same_l3(20)
      .other_l3(50)
      .crossing(40);
}

/// Four sockets of one core, each linked to each.
TestMachine four_sockets() {
  return TestMachine{}.nodes(4).cores_per_node(1).same_l3(20).other_l3(20).crossing(40);
}

}  // namespace

TEST_CASE("a line is at the requester at t, and not at t - 1 ps") {
  // Asked for at 100 ns, 20 ns away, nobody else wants it.
  Lab lab(TestMachine{}.same_l3(20), 2);
  Word& word = lab.word_owned_by(0);
  Picoseconds done;
  lab.start(1, add_once(lab.cpu(1), word, done), nanoseconds(100));
  lab.run_until(nanoseconds(120) - one_ps);
  CHECK_FALSE(lab.can_read(word, 1));
  CHECK(word.value == 0);
  CHECK(done == Picoseconds{});
  lab.run_until(nanoseconds(120));
  CHECK(lab.can_write(word, 1));
  CHECK_FALSE(lab.can_read(word, 0));
  CHECK(word.value == 1);
  CHECK(done == nanoseconds(120));
}

TEST_CASE("what the own core holds costs nothing but the access itself") {
  Lab lab(TestMachine{}.atomic(8).plain(1), 2);
  Word& word = lab.word_owned_by(1);
  Picoseconds read, written;
  lab.start(1, read_once(lab.cpu(1), word, read), nanoseconds(100));
  CHECK(lab.run_to_end());
  CHECK(read == nanoseconds(101));
  Lab second(TestMachine{}.atomic(8).plain(1), 2);
  Word& other = second.word_owned_by(1);
  second.start(1, add_once(second.cpu(1), other, written), nanoseconds(100));
  CHECK(second.run_to_end());
  CHECK(written == nanoseconds(108));
}

TEST_CASE("a sibling uses its core's lines as its own") {
  const TestMachine machine = TestMachine{}.cores_per_node(2).threads_per_core(2);
  Lab lab(machine, 4);  // CPU 2 is CPU 0's sibling
  Word& word = lab.word_owned_by(0);
  Picoseconds done;
  lab.start(2, add_once(lab.cpu(2), word, done), nanoseconds(100));
  CHECK(lab.run_to_end());
  CHECK(done == nanoseconds(100));
  CHECK(lab.can_write(word, 0));
}

TEST_CASE("an inclusive L3 serves its own cores whatever the home") {
  for (const std::uint32_t home : {0U, 1U}) {
    CHECK(write_latency(two_sockets().source_snoop(), 0, 1, home) == nanoseconds(20));
    CHECK(write_latency(two_sockets().home_snoop(), 0, 1, home) == nanoseconds(20));
    CHECK(write_latency(two_nodes_of_two_l3().moesi(), 0, 1, home) == nanoseconds(20));
  }
}

TEST_CASE("between two sockets a line crosses twice, wherever it is homed") {
  for (const std::uint32_t home : {0U, 1U}) {
    CHECK(write_latency(two_sockets().source_snoop(), 0, 2, home) == nanoseconds(20 + 2 * 40));
    CHECK(write_latency(two_sockets().home_snoop(), 0, 2, home) == nanoseconds(20 + 2 * 40));
    CHECK(write_latency(two_sockets().home_snoop(), 3, 1, home) == nanoseconds(20 + 2 * 40));
    CHECK(write_latency(two_nodes_of_two_l3().moesi(), 0, 4, home) == nanoseconds(50 + 2 * 40));
  }
}

TEST_CASE("MOESI: neighbouring L3 groups pay two crossings more for a remote home") {
  CHECK(write_latency(two_nodes_of_two_l3().moesi(), 0, 2, 0) == nanoseconds(50));
  CHECK(write_latency(two_nodes_of_two_l3().moesi(), 0, 2, 1) == nanoseconds(50 + 2 * 40));
  CHECK(write_latency(two_nodes_of_two_l3().moesi(), 4, 6, 1) == nanoseconds(50));
  CHECK(write_latency(two_nodes_of_two_l3().moesi(), 4, 6, 0) == nanoseconds(50 + 2 * 40));
}

TEST_CASE("MESIF by source snoop: neighbouring L3 groups don't care for the home") {
  for (const std::uint32_t home : {0U, 1U}) {
    CHECK(write_latency(two_nodes_of_two_l3().source_snoop(), 0, 2, home) == nanoseconds(50));
  }
}

TEST_CASE("a third socket's home is a third crossing; a party's own isn't") {
  // Requester to home, home to holder, holder to requester: three instead of two.
  CHECK(write_latency(four_sockets().home_snoop(), 1, 0, 2) == nanoseconds(20 + 3 * 40));
  CHECK(write_latency(four_sockets().home_snoop(), 1, 0, 0) == nanoseconds(20 + 2 * 40));
  CHECK(write_latency(four_sockets().home_snoop(), 1, 0, 1) == nanoseconds(20 + 2 * 40));
  CHECK(write_latency(four_sockets().source_snoop(), 1, 0, 2) == nanoseconds(20 + 2 * 40));
  CHECK(write_latency(four_sockets().moesi(), 1, 0, 2) == nanoseconds(20 + 3 * 40));
}

TEST_CASE("in a chain of sockets the home may lie on the way") {
  // 0 - 1 - 2: from 0 to 2 by way of home 1 is no detour; by way of home 0 neither.
  const auto chain = [] {
    return TestMachine{}.nodes(3).cores_per_node(1).other_l3(20).link(0, 1, 40).link(1, 2, 40);
  };
  CHECK(write_latency(chain().home_snoop(), 2, 0, 1) == nanoseconds(20 + 4 * 40));
  CHECK(write_latency(chain().home_snoop(), 2, 0, 0) == nanoseconds(20 + 4 * 40));
  // Neighbours 0 and 1 with their home two hops away: 0 to 2, 2 to 1, 1 to 0.
  CHECK(write_latency(chain().home_snoop(), 1, 0, 2) == nanoseconds(20 + (2 + 1 + 1) * 40));
}

TEST_CASE("each distance is counted as what it is") {
  struct Case {
    TestMachine machine;
    std::uint32_t owner, requester, home;
    Distance distance;
  };
  const std::vector<Case> cases{
      {two_sockets(), 0, 1, 1, Distance::same_l3},
      {two_sockets(), 0, 2, 1, Distance::other_node},
      {two_nodes_of_two_l3().moesi(), 0, 2, 0, Distance::same_node},
      {two_nodes_of_two_l3().moesi(), 0, 2, 1, Distance::remote_home},
      {two_nodes_of_two_l3().moesi(), 0, 4, 1, Distance::other_node},
      {four_sockets().home_snoop(), 1, 0, 2, Distance::third_party_home},
  };
  for (const Case& c : cases) {
    Lab lab(c.machine, c.machine.cores());
    const Picoseconds latency = write_latency(lab, c.owner, c.requester, c.home);
    for (std::size_t i = 0; i < distances; ++i) {
      const bool expected = static_cast<Distance>(i) == c.distance;
      CAPTURE(name_of(static_cast<Distance>(i)));
      CHECK(lab.memory().counts().transfers[i] == (expected ? 1 : 0));
      CHECK(lab.memory().counts().latency[i] ==
            (expected ? static_cast<std::uint64_t>(latency.count) : 0));
    }
  }
}

TEST_CASE("a line that nobody caches comes from its home's memory") {
  for (const bool moesi : {false, true}) {
    TestMachine machine = two_sockets().memory_access(90);
    if (moesi) machine.moesi();
    Lab lab(machine, 4);
    Word& here = lab.word(0);
    Word& there = lab.word(1);
    Picoseconds near, far;
    lab.start(0, add_once(lab.cpu(0), here, near));
    lab.start(1, add_once(lab.cpu(1), there, far));
    CHECK(lab.run_to_end());
    CHECK(near == nanoseconds(90));
    CHECK(far == nanoseconds(90 + 2 * 40));
    CHECK(lab.transfers(Distance::memory) == 2);
  }
}

TEST_CASE("the first reader of an uncached line may write it at once (E)") {
  Lab lab(two_sockets(), 4);
  Word& word = lab.word();
  Picoseconds done;
  lab.start(0, read_once(lab.cpu(0), word, done));
  CHECK(lab.run_to_end());
  CHECK(lab.can_write(word, 0));
}

TEST_CASE("readers share: each pays its way once, and all hold a copy") {
  Lab lab(two_sockets(), 4);
  Word& word = lab.word_owned_by(0);
  Picoseconds near, far;
  lab.start(1, read_once(lab.cpu(1), word, near));
  lab.start(2, read_once(lab.cpu(2), word, far), nanoseconds(1000));
  CHECK(lab.run_to_end());
  CHECK(near == nanoseconds(20));
  CHECK(far == nanoseconds(1000 + 100));
  for (const std::uint32_t cpu : {0U, 1U, 2U}) {
    CHECK(lab.can_read(word, cpu));
    CHECK_FALSE(lab.can_write(word, cpu));
  }
  CHECK_FALSE(lab.can_read(word, 3));
}

TEST_CASE("a copy below the own L3 serves a read, though the owner is on the other socket") {
  Lab lab(two_sockets(), 4);
  Word& word = lab.word_owned_by(2);
  Picoseconds first, second;
  lab.start(0, read_once(lab.cpu(0), word, first));
  lab.start(1, read_once(lab.cpu(1), word, second), nanoseconds(1000));
  CHECK(lab.run_to_end());
  CHECK(first == nanoseconds(100));
  CHECK(second == nanoseconds(1000 + 20));
}

TEST_CASE("the newest reader answers under MESIF (F), the owner under MOESI (O)") {
  // Owner 0, then reader 2 beside the third party 4 on the other side of the link.
  for (const bool moesi : {false, true}) {
    TestMachine machine = TestMachine{}.nodes(3).cores_per_node(1).other_l3(20);
    machine.link(0, 1, 100).link(1, 2, 10);
    if (moesi) machine.moesi();
    Lab lab(machine, 3);
    Word& word = lab.word_owned_by(0, 1);
    Picoseconds first, second;
    lab.start(1, read_once(lab.cpu(1), word, first));
    lab.start(2, read_once(lab.cpu(2), word, second), nanoseconds(1000));
    CHECK(lab.run_to_end());
    CHECK(first == nanoseconds(20 + 200));
    CHECK(second == nanoseconds(1000) + (moesi ? nanoseconds(20 + 220) : nanoseconds(20 + 20)));
  }
}

TEST_CASE("a sharer's write asks for no data: cheaper than a transfer by the upgrade factor") {
  Lab lab(two_sockets().upgrade(0.25), 4);
  Word& word = lab.word_owned_by(0);
  Picoseconds read, written, taken;
  lab.start(2, read_once(lab.cpu(2), word, read));
  lab.start(0, add_once(lab.cpu(0), word, written), nanoseconds(1000));
  lab.start(1, add_once(lab.cpu(1), word, taken), nanoseconds(2000));
  CHECK(lab.run_to_end());
  CHECK(written == nanoseconds(1000 + 100 / 4));
  CHECK_FALSE(lab.can_read(word, 2));
  CHECK(taken == nanoseconds(2000 + 20));  // back to exclusive: a plain transfer
}

TEST_CASE("a write waits for the farthest copy that it invalidates") {
  Lab lab(two_sockets(), 4);
  Word& word = lab.word_owned_by(0);
  Picoseconds read, written;
  lab.start(2, read_once(lab.cpu(2), word, read));
  lab.start(1, add_once(lab.cpu(1), word, written), nanoseconds(1000));
  CHECK(lab.run_to_end());
  CHECK(written == nanoseconds(1000 + 100));  // CPU 2's, not CPU 0's at 20
  CHECK_FALSE(lab.can_read(word, 0));
  CHECK_FALSE(lab.can_read(word, 2));
}

TEST_CASE("the home's directory cache: a line that it doesn't know costs a look into memory") {
  // Lines that a test places are known; each of these moved once and was then pushed out of its
  // set by eight others, or not.
  for (const std::uint32_t others : {7U, 8U}) {
    CAPTURE(others);
    Lab lab(two_sockets().home_snoop().directory_cache(8, 70), 4);
    Word& word = lab.word_owned_by(0);
    for (std::uint32_t i = 0; i < others; ++i) lab.word_owned_by(1);
    Picoseconds done;
    lab.start(2, add_once(lab.cpu(2), word, done));
    CHECK(lab.run_to_end());
    CHECK(done == (others < 8 ? nanoseconds(100) : nanoseconds(100 + 70)));
  }
}

TEST_CASE("the directory cache of another home knows nothing of it, and in a socket nobody asks") {
  Lab lab(two_sockets().home_snoop().directory_cache(8, 70), 4);
  Word& forgotten = lab.word_owned_by(0);
  Word& known_elsewhere = lab.word_owned_by(0, 1);
  for (int i = 0; i < 8; ++i) lab.word_owned_by(1);
  Picoseconds within, across;
  lab.start(1, add_once(lab.cpu(1), forgotten, within));
  lab.start(2, add_once(lab.cpu(2), known_elsewhere, across));
  CHECK(lab.run_to_end());
  CHECK(within == nanoseconds(20));
  CHECK(across == nanoseconds(100));
}
