// Siblings share a core only while both compute. Speed 1/2 each: CPUs 0 and 2, and 1 and 3.

#include <doctest/doctest.h>

#include "../support/lab.hpp"

using namespace futexsim;

namespace {

constexpr Picoseconds one_ps{1};

/// The core of CPUs 0 and 2, and others 40 ns away.
TestMachine siblings() {
  return TestMachine{}.threads_per_core(2).smt_speed(0.5).same_l3(40).same_core(4);
}

/// Computes and then touches a word of its own core, to have an instant at which it is done.
Task<> compute(Cpu& cpu, Picoseconds work, Word& own, Picoseconds& done) {
  co_await cpu.compute(work);
  co_await cpu.load(own);
  done = cpu.now();
}

Task<> load_then_compute(Cpu& cpu, Word& far, Picoseconds work, Word& own, Picoseconds& done) {
  co_await cpu.load(far);
  co_await compute(cpu, work, own, done);
}

Task<> load_compute_load(Cpu& cpu, Word& far, Picoseconds work, Word& farther, Picoseconds& done) {
  co_await cpu.load(far);
  co_await cpu.compute(work);
  co_await cpu.load(farther);
  done = cpu.now();
}

Task<> spin_then_compute(Cpu& cpu, Word& flag, Picoseconds work, Word& own, Picoseconds& done) {
  co_await cpu.spin_until(flag, [](std::uint32_t value) { return value != 0; });
  co_await compute(cpu, work, own, done);
}

Task<> store_add_compute(Cpu& cpu, Word& far, Picoseconds work, Word& own, Picoseconds& done) {
  co_await cpu.store(far, 1);
  co_await cpu.fetch_add(own, 1);
  co_await compute(cpu, work, own, done);
}

}  // namespace

TEST_CASE("alone on its core a thread computes at full speed") {
  Lab lab(siblings(), 4);
  Word& own = lab.word_owned_by(0);
  Picoseconds done, other;
  lab.start(0, compute(lab.cpu(0), nanoseconds(100), own, done));
  lab.start(1, compute(lab.cpu(1), nanoseconds(100), lab.word_owned_by(1), other));
  CHECK(lab.run_to_end());
  CHECK(done == nanoseconds(100));
  CHECK(other == nanoseconds(100));  // another core
}

TEST_CASE("two siblings that compute all the time take twice as long") {
  Lab lab(siblings(), 4);
  Word& own = lab.word_owned_by(0);
  Picoseconds one, other;
  lab.start(0, compute(lab.cpu(0), nanoseconds(100), own, one));
  lab.start(2, compute(lab.cpu(2), nanoseconds(100), own, other));
  CHECK(lab.run_to_end());
  CHECK(one == nanoseconds(200));
  CHECK(other == nanoseconds(200));
}

TEST_CASE("a computation slows down at the instant at which the sibling begins to compute") {
  // The sibling waits for a line until 40, then computes. 40 of 100 are done; 60 take 120.
  Lab lab(siblings(), 4);
  Word& own = lab.word_owned_by(0);
  Picoseconds one, other;
  lab.start(0, compute(lab.cpu(0), nanoseconds(100), own, one));
  lab.start(2, load_then_compute(lab.cpu(2), lab.word_owned_by(1), nanoseconds(500), own, other));
  lab.run_until(nanoseconds(160) - one_ps);
  CHECK(one == Picoseconds{});
  lab.run_until(nanoseconds(160));
  CHECK(one == nanoseconds(160));
}

TEST_CASE("and speeds up at the instant at which the sibling begins to wait") {
  // The sibling waits until 40, computes 20 at half speed until 80, and waits again until 120.
  // Done by then: 40 + 20; the other 40 take 40.
  Lab lab(siblings(), 4);
  Word& own = lab.word_owned_by(0);
  Picoseconds one, other;
  lab.start(0, compute(lab.cpu(0), nanoseconds(100), own, one));
  lab.start(2, load_compute_load(lab.cpu(2), lab.word_owned_by(1), nanoseconds(20),
                                 lab.word_owned_by(1), other));
  CHECK(lab.run_to_end());
  CHECK(one == nanoseconds(120));
  CHECK(other == nanoseconds(120));
}

TEST_CASE("a spinning sibling leaves the core alone until it goes on") {
  // The flag is set at 100 and read by the spinner at 104: 4 more until it slows us down.
  Lab lab(siblings(), 4);
  Word& own = lab.word_owned_by(0);
  Word& flag = lab.word_owned_by(1);
  Picoseconds one, other, set;
  lab.start(0, compute(lab.cpu(0), nanoseconds(200), own, one));
  lab.start(2, spin_then_compute(lab.cpu(2), flag, nanoseconds(500), own, other));
  lab.start(1, add_once(lab.cpu(1), flag, set), nanoseconds(80));
  // Upgrade of half of 40, then 40 back to the spinner: it computes from 140 on.
  CHECK(lab.run_to_end());
  CHECK(set == nanoseconds(100));
  CHECK(one == nanoseconds(140 + 2 * 60));
}

TEST_CASE("a sibling that waits for its stores to be out leaves the core alone, too") {
  // Stores at 0, which is visible at 40; its atomic waits until then.
  Lab lab(siblings(), 4);
  Word& own = lab.word_owned_by(0);
  Picoseconds one, other;
  lab.start(0, compute(lab.cpu(0), nanoseconds(100), own, one));
  lab.start(2, store_add_compute(lab.cpu(2), lab.word_owned_by(1), nanoseconds(500), own, other));
  CHECK(lab.run_to_end());
  CHECK(one == nanoseconds(40 + 2 * 60));
}

TEST_CASE("a sibling whose program has ended leaves the core alone") {
  // Both compute until 100, when the sibling's 50 are done and so are 50 of ours.
  Lab lab(siblings(), 4);
  Word& own = lab.word_owned_by(0);
  Picoseconds one, other;
  lab.start(0, compute(lab.cpu(0), nanoseconds(100), own, one));
  lab.start(2, compute(lab.cpu(2), nanoseconds(50), own, other));
  CHECK(lab.run_to_end());
  CHECK(other == nanoseconds(100));
  CHECK(one == nanoseconds(150));
}

TEST_CASE("computing time is wall time: all of a thread's time is accounted for") {
  Lab lab(siblings(), 4);
  Word& own = lab.word_owned_by(0);
  Picoseconds one, other;
  lab.start(0, compute(lab.cpu(0), nanoseconds(100), own, one));
  lab.start(2, load_compute_load(lab.cpu(2), lab.word_owned_by(1), nanoseconds(20),
                                 lab.word_owned_by(1), other));
  CHECK(lab.run_to_end());
  CHECK(lab.cpu(0).time().computing == static_cast<std::uint64_t>(one.count));
  CHECK(lab.cpu(2).time().computing == static_cast<std::uint64_t>(nanoseconds(40).count));
  CHECK(lab.cpu(2).time().line == static_cast<std::uint64_t>(nanoseconds(80).count));
}

TEST_CASE("an odd speed loses no more than a picosecond a change") {
  Lab lab(siblings().smt_speed(0.72), 4);
  Word& own = lab.word_owned_by(0);
  Picoseconds one, other;
  lab.start(0, compute(lab.cpu(0), nanoseconds(100), own, one));
  lab.start(2, compute(lab.cpu(2), nanoseconds(200), own, other));
  CHECK(lab.run_to_end());
  const Picoseconds first{138'889};  // 100 / 0.72, rounded up
  CHECK(one == first);
  // By then 100 of 200 are done; the rest goes at full speed.
  CHECK(other >= first + nanoseconds(100) - one_ps);
  CHECK(other <= first + nanoseconds(100) + one_ps);
}
