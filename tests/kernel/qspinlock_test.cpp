// queued_spin_lock(): what every lock must do, and what this one promises beyond that.

#include <doctest/doctest.h>

#include <deque>
#include <set>

#include "../support/lock_contest.hpp"

using namespace futexsim;

namespace {

constexpr std::uint32_t locked = 0xff, pending = 0xff00, tail = 0xffff'0000;

/// What the lock word tells an onlooker.
struct Onlooker {
  std::uint32_t value = 0;
  std::vector<std::uint32_t> queued{};  ///< CPUs, in the order in which they became the tail
  std::set<std::string> seen{};

  void look(std::uint32_t now) {
    const std::uint32_t before = std::exchange(value, now);
    if (before == now) return;
    if ((now & tail) != (before & tail) && (now & tail) != 0) queued.push_back((now >> 18) - 1);
    const auto note = [&](const char* what, bool happened) {
      if (happened) seen.insert(what);
    };
    note("fast path", before == 0 && now == 1);
    note("pending set", before == 0x001 && now == 0x101);
    note("hand-over to pending", before == 0x101 && now == 0x100);
    note("pending takes the lock", before == 0x100 && now == 0x001);
    note("queued", (before & tail) == 0 && (now & tail) != 0);
    note("queued behind others",
         (before & tail) != 0 && (now & tail) != 0 && (now & tail) != (before & tail));
    note("pending set too late",
         (before & tail) != 0 && (before & pending) == 0 && (now & pending) != 0);
    note("pending taken back", (now & tail) != 0 && (before & pending) != 0 &&
                                   (now & pending) == 0 && (now & locked) == (before & locked));
    note("head takes the lock, nobody behind", (before & tail) != 0 && now == 1);
    note("head takes the lock, others behind",
         (before & tail) != 0 && (before & (locked | pending)) == 0 &&
             (now & tail) == (before & tail) && (now & locked) != 0);
  }
};

/// Which of those who queued got the lock in which order: each at its next turn after queueing.
std::vector<std::uint32_t> acquisitions_of_queued(const std::vector<std::uint32_t>& acquired,
                                                  const std::vector<std::size_t>& when_queued,
                                                  const std::vector<std::uint32_t>& queued) {
  std::vector<std::pair<std::size_t, std::uint32_t>> turns;
  for (std::size_t i = 0; i < queued.size(); ++i) {
    std::size_t turn = when_queued[i];
    while (turn < acquired.size() && acquired[turn] != queued[i]) ++turn;
    turns.emplace_back(turn, queued[i]);
  }
  std::sort(turns.begin(), turns.end());
  std::vector<std::uint32_t> out;
  for (const auto& [turn, cpu] : turns) out.push_back(cpu);
  return out;
}

Task<> acquire_once(SpinLock& spinlock, Thread& thread, Word& lock, Picoseconds& done) {
  co_await spinlock.acquire(thread, lock);
  done = thread.cpu().now();
}

/// What a pending waiter does: takes the lock that was handed to it, and gives it back.
Task<> take_and_release(Cpu& cpu, Word& lock, Picoseconds critical_section) {
  co_await cpu.store_part(lock, locked | pending, 1);
  co_await cpu.compute(critical_section);
  co_await cpu.store_part(lock, locked, 0);
}

struct Outcome {
  bool finished;
  std::uint32_t counter, lock_value, rounds;
  std::vector<std::uint32_t> acquired, queued, queued_by_turn;
  std::set<std::string> seen;
};

Outcome compete(std::uint32_t cpus, std::uint64_t seed, std::uint64_t longest_think_ns) {
  TestMachine machine;
  machine.nodes(2).cores_per_node(16).l3_groups_per_node(2).threads_per_core(2);
  machine.hold_window(static_cast<double>(seed % 3 * 6)).atomic(8).plain(1);
  if (seed % 2 == 0) machine.moesi();
  Lab lab(machine, cpus);
  const auto spinlock = SpinLockChoice("qspinlock").make(lab.locks());
  Word& lock = lab.word(static_cast<std::uint32_t>(seed % 2));
  // The counter beside the lock, or on a line of its own.
  Word& counter = seed % 4 < 2 ? lab.beside(lock) : lab.word();
  Contest contest{*spinlock, lock, counter, 40, longest_think_ns};
  std::deque<RandomStream> random;
  for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) {
    random.emplace_back(seed, "think", cpu);
    lab.start(cpu, compete(lab.thread(cpu), contest, random.back()));
  }
  Onlooker onlooker;
  std::vector<std::size_t> when_queued;
  while (lab.simulation().step()) {
    onlooker.look(lock.value);
    when_queued.resize(onlooker.queued.size(), contest.acquired.size());
  }
  return {contest.finished == cpus,
          counter.value,
          lock.value,
          40 * cpus,
          contest.acquired,
          onlooker.queued,
          acquisitions_of_queued(contest.acquired, when_queued, onlooker.queued),
          onlooker.seen};
}

}  // namespace

TEST_CASE("1 to 64 CPUs, many seeds: nobody waits for ever and no update is lost") {
  for (const std::uint32_t cpus : {1U, 2U, 3U, 4U, 7U, 16U, 33U, 64U}) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      CAPTURE(cpus);
      CAPTURE(seed);
      const Outcome outcome = compete(cpus, seed, seed % 3 == 0 ? 3000 : 200);
      REQUIRE(outcome.finished);
      CHECK(outcome.acquired.size() == outcome.rounds);
      CHECK(outcome.counter == outcome.rounds);  // increments without atomics: nobody else inside
      CHECK(outcome.lock_value == 0);            // as many releases as acquisitions
    }
  }
}

TEST_CASE("who queues gets the lock in the order of queueing") {
  // A round in the lock takes some 100 ns, so two of three CPUs are in it when the third, who
  // thinks for less, comes: most rounds queue.
  for (const std::uint32_t cpus : {3U, 8U, 24U, 64U}) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      CAPTURE(cpus);
      CAPTURE(seed);
      const Outcome outcome = compete(cpus, seed, 100);
      CHECK(outcome.queued.size() > outcome.rounds / 2);
      CHECK(outcome.queued_by_turn == outcome.queued);
    }
  }
}

TEST_CASE("every way through the slow path is taken") {
  std::set<std::string> seen;
  for (const std::uint32_t cpus : {2U, 3U, 4U, 8U, 64U}) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) seen.merge(compete(cpus, seed, 500).seen);
  }
  CHECK(seen == std::set<std::string>{
                    "fast path", "pending set", "hand-over to pending", "pending takes the lock",
                    "queued", "queued behind others", "pending set too late", "pending taken back",
                    "head takes the lock, nobody behind", "head takes the lock, others behind"});
}

TEST_CASE("who finds the lock on its way to the pending waiter waits for that, and doesn't queue") {
  Lab lab(TestMachine{}.same_l3(20).hold_window(5), 2);
  const auto spinlock = SpinLockChoice("qspinlock").make(lab.locks());
  Word& lock = lab.word_owned_by(1);
  lock.value = 0x100;
  Picoseconds done;
  lab.start(0, acquire_once(*spinlock, lab.thread(0), lock, done));
  lab.start(1, take_and_release(lab.cpu(1), lock, nanoseconds(500)), nanoseconds(1000));
  Onlooker onlooker;
  while (lab.simulation().step()) onlooker.look(lock.value);
  CHECK(onlooker.seen ==
        std::set<std::string>{"pending takes the lock", "pending set", "hand-over to pending"});
  CHECK(onlooker.queued.empty());
  CHECK(done > nanoseconds(1500));
  CHECK(lock.value == 1);
}

TEST_CASE("alone, a lock is one atomic and its release one store") {
  Lab lab(TestMachine{}.atomic(8).plain(1), 1);
  const auto spinlock = SpinLockChoice("qspinlock").make(lab.locks());
  Word& lock = lab.word_owned_by(0);
  Word& counter = lab.word_owned_by(0);
  Contest contest{*spinlock, lock, counter, 100, 1};
  RandomStream random(1, "think");
  lab.start(0, compete(lab.thread(0), contest, random));
  CHECK(lab.run_to_end());
  // 100 times: atomic, load, 10 ns, store, store; the last store's cost comes after its effect.
  CHECK(lab.simulation().now() == nanoseconds(100 * (8 + 1 + 10 + 1 + 1) - 1));
  CHECK(lab.transfers(Distance::memory) == 0);
}
