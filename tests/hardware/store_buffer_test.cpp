// Total store order: a store is done for its thread at once, and for the others in its turn.

#include <doctest/doctest.h>

#include "../support/lab.hpp"

using namespace futexsim;

namespace {

constexpr Picoseconds one_ps{1};

/// Notes when each of a program's steps was done.
struct Log {
  std::vector<Picoseconds> done;
  std::vector<std::uint32_t> values;
};

Task<> store_all(Cpu& cpu, std::vector<Word*> words, Log& log) {
  for (Word* const word : words) {
    co_await cpu.store(*word, 1);
    log.done.push_back(cpu.now());
  }
}

Task<> store_then_add(Cpu& cpu, Word& stored, Word& added, Log& log) {
  co_await cpu.store(stored, 1);
  co_await cpu.fetch_add(added, 1);
  log.done.push_back(cpu.now());
}

Task<> store_then_load(Cpu& cpu, Word& stored, Word& loaded, Log& log) {
  co_await cpu.store(stored, 1);
  log.values.push_back(co_await cpu.load(loaded));
  log.done.push_back(cpu.now());
}

Task<> store_twice_then_load(Cpu& cpu, Word& first, Word& second, Log& log) {
  co_await cpu.store(first, 1);
  co_await store_then_load(cpu, second, second, log);
}

Task<> store_parts(Cpu& cpu, Word& word) {
  co_await cpu.store_part(word, 0x0000'00ff, 0x12);
  co_await cpu.store_part(word, 0xffff'0000, 0xabcd'0000);
}

/// The last store comes late.
Task<> store_two_then_one(Cpu& cpu, Word& first, Word& second, Picoseconds pause, Word& third) {
  co_await cpu.store(first, 7);
  co_await cpu.store(second, 7);
  co_await cpu.compute(pause);
  co_await cpu.store(third, 7);
}

/// Two sockets of two cores: 20 ns within, 100 ns between them. CPUs 0 1 | 2 3.
TestMachine two_sockets() {
  return TestMachine{}.nodes(2).same_l3(20).other_l3(20).crossing(40).upgrade(1);
}

}  // namespace

TEST_CASE("a store is done at once for its thread, and visible when its line has come") {
  Lab lab(two_sockets().plain(1), 4);
  Word& far = lab.word_owned_by(2);
  Log log;
  lab.start(0, store_all(lab.cpu(0), {&far}, log), nanoseconds(10));
  lab.run_until(nanoseconds(110) - one_ps);
  CHECK(log.done == std::vector{nanoseconds(11)});
  CHECK(far.value == 0);
  CHECK(lab.can_read(far, 2) == false);
  lab.run_until(nanoseconds(110));
  CHECK(far.value == 1);
  CHECK(lab.can_write(far, 0));
}

TEST_CASE("a store to an own line is visible at once") {
  Lab lab(two_sockets(), 4);
  Word& own = lab.word_owned_by(0);
  Log log;
  lab.start(0, store_all(lab.cpu(0), {&own}, log), nanoseconds(10));
  lab.run_until(nanoseconds(10));
  CHECK(own.value == 1);
}

TEST_CASE("stores become visible in their order, though the second line is here first") {
  Lab lab(two_sockets(), 4);
  Word& far = lab.word_owned_by(2);
  Word& near = lab.word_owned_by(1);
  Log log;
  lab.start(0, store_all(lab.cpu(0), {&far, &near}, log));
  lab.run_until(nanoseconds(100) - one_ps);
  CHECK(lab.can_write(near, 0));
  CHECK(near.value == 0);
  lab.run_until(nanoseconds(100));
  CHECK(far.value == 1);
  CHECK(near.value == 1);
}

TEST_CASE("an own line waits for an older store, too") {
  Lab lab(two_sockets(), 4);
  Word& far = lab.word_owned_by(2);
  Word& own = lab.word_owned_by(0);
  Log log;
  lab.start(0, store_all(lab.cpu(0), {&far, &own}, log));
  lab.run_until(nanoseconds(100) - one_ps);
  CHECK(own.value == 0);
  lab.run_until(nanoseconds(100));
  CHECK(own.value == 1);
}

TEST_CASE("the transfers of two stores overlap") {
  Lab lab(two_sockets(), 4);
  Word& one = lab.word_owned_by(2);
  Word& other = lab.word_owned_by(3);
  Log log;
  lab.start(0, store_all(lab.cpu(0), {&one, &other}, log));
  CHECK(lab.run_to_end());
  CHECK(lab.simulation().now() == nanoseconds(100));
  CHECK(other.value == 1);
}

TEST_CASE("a store beyond the buffer's depth waits until the oldest is out") {
  REQUIRE(StoreBuffer::depth == 3);
  Lab lab(two_sockets(), 4);
  Word& far = lab.word_owned_by(2);
  Word& other = lab.word_owned_by(3);
  Word& own = lab.word_owned_by(0);
  Log log;
  lab.start(0, store_all(lab.cpu(0), {&far, &other, &own, &own}, log));
  CHECK(lab.run_to_end());
  CHECK(log.done == std::vector{nanoseconds(0), nanoseconds(0), nanoseconds(0), nanoseconds(100)});
  CHECK(lab.cpu(0).time().draining == static_cast<std::uint64_t>(nanoseconds(100).count));
}

TEST_CASE("an atomic waits until all stores are out, even on a line that the core owns") {
  Lab lab(two_sockets().atomic(8), 4);
  Word& far = lab.word_owned_by(2);
  Word& own = lab.word_owned_by(0);
  Log log;
  lab.start(0, store_then_add(lab.cpu(0), far, own, log));
  CHECK(lab.run_to_end());
  CHECK(log.done == std::vector{nanoseconds(100 + 8)});
  CHECK(lab.cpu(0).time().draining == static_cast<std::uint64_t>(nanoseconds(100).count));
}

TEST_CASE("an atomic asks for its line only after the stores are out") {
  Lab lab(two_sockets(), 4);
  Word& far = lab.word_owned_by(2);
  Word& near = lab.word_owned_by(1);
  Log log;
  lab.start(0, store_then_add(lab.cpu(0), far, near, log));
  CHECK(lab.run_to_end());
  CHECK(log.done == std::vector{nanoseconds(100 + 20)});
}

TEST_CASE("a load passes older stores to other words") {
  Lab lab(two_sockets(), 4);
  Word& far = lab.word_owned_by(2);
  Word& own = lab.word_owned_by(0);
  own.value = 5;
  Log log;
  lab.start(0, store_then_load(lab.cpu(0), far, own, log));
  CHECK(lab.run_to_end());
  CHECK(log.values == std::vector{5U});
  CHECK(log.done == std::vector{nanoseconds(0)});
}

TEST_CASE("the classic outcome of a store buffer: both load the old value of what both store") {
  // x is owned by CPU 2's core and y by CPU 0's: each stores to the other's and loads its own.
  Lab lab(two_sockets().hold_window(5), 4);
  Word& x = lab.word_owned_by(2);
  Word& y = lab.word_owned_by(0);
  Log zero, two;
  lab.start(0, store_then_load(lab.cpu(0), x, y, zero));
  lab.start(2, store_then_load(lab.cpu(2), y, x, two));
  CHECK(lab.run_to_end());
  CHECK(zero.values == std::vector{0U});
  CHECK(two.values == std::vector{0U});
  CHECK(x.value + y.value == 2);
}

TEST_CASE("a thread's own loads see its stores before anybody else does") {
  // The store to its own line isn't visible before 100, as an older one is on its way.
  Lab lab(two_sockets(), 4);
  Word& far = lab.word_owned_by(2);
  Word& own = lab.word_owned_by(0);
  Log log;
  lab.start(0, store_twice_then_load(lab.cpu(0), far, own, log));
  lab.run_until(nanoseconds(50));
  CHECK(log.values == std::vector{1U});
  CHECK(log.done == std::vector{nanoseconds(0)});
  CHECK(own.value == 0);
  lab.run_until(nanoseconds(100));
  CHECK(own.value == 1);
}

TEST_CASE("a store of some bytes leaves the others as they are") {
  Lab lab(two_sockets(), 4);
  Word& word = lab.word_owned_by(2);
  word.value = 0x1111'1111;
  lab.start(0, store_parts(lab.cpu(0), word));
  CHECK(lab.run_to_end());
  CHECK(word.value == 0xabcd'1112);
}

TEST_CASE("two stores to one line need one transfer") {
  // Visible together when the line comes, though another core wants it as well.
  Lab lab(two_sockets().hold_window(5), 4);
  Word& word = lab.word_owned_by(2);
  Word& neighbour = lab.beside(word);
  Log log;
  Picoseconds done;
  lab.start(0, store_all(lab.cpu(0), {&word, &neighbour}, log));
  lab.start(1, add_once(lab.cpu(1), word, done), nanoseconds(0) + one_ps);
  lab.run_until(nanoseconds(100));
  CHECK(word.value == 1);
  CHECK(neighbour.value == 1);
  CHECK(lab.run_to_end());
  CHECK(done == nanoseconds(120));
}

TEST_CASE("a line that is taken away before its store's turn is fetched again") {
  // near comes to CPU 0 at 20, goes to CPU 1 from 30 to 50, and comes back from 100 to 120.
  Lab lab(two_sockets(), 4);
  Word& far = lab.word_owned_by(2);
  Word& near = lab.word_owned_by(1);
  Log log;
  Picoseconds added;
  lab.start(0, store_all(lab.cpu(0), {&far, &near}, log));
  lab.start(1, add_once(lab.cpu(1), near, added), nanoseconds(30));
  lab.run_until(nanoseconds(60));
  CHECK(added == nanoseconds(50));
  CHECK(near.value == 1);
  lab.run_until(nanoseconds(120) - one_ps);
  CHECK(far.value == 1);
  CHECK_FALSE(lab.can_write(near, 0));
  lab.run_until(nanoseconds(120));
  CHECK(lab.can_write(near, 0));
  CHECK(near.value == 1);  // CPU 0's 1, stored over CPU 1's
}

TEST_CASE("a store whose line was taken away waits for it, though a younger one asked for it") {
  // The store to own hits, and waits behind far, which comes at 100. CPU 1 takes own's line at 30.
  // The store beside it asks for the line at 90: it is CPU 0's again at 110, and not at 100.
  Lab lab(two_sockets(), 4);
  Word& far = lab.word_owned_by(2);
  Word& own = lab.word_owned_by(0);
  Word& beside = lab.beside(own);
  Picoseconds added;
  lab.start(0, store_two_then_one(lab.cpu(0), far, own, nanoseconds(90), beside));
  lab.start(1, add_once(lab.cpu(1), own, added), nanoseconds(30));
  lab.run_until(nanoseconds(110) - one_ps);
  CHECK(added == nanoseconds(50));
  CHECK(far.value == 7);
  CHECK(own.value == 1);
  lab.run_until(nanoseconds(110));
  CHECK(lab.can_write(own, 0));
  CHECK(own.value == 7);
  CHECK(beside.value == 7);
}
