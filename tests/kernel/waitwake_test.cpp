// FUTEX_WAIT that sleeps and FUTEX_WAKE, step by step.

#include <doctest/doctest.h>

#include "../support/futex_lab.hpp"

using namespace futexsim;

namespace {

constexpr std::int64_t hash_ns = 24;  // jhash2 of the whole key, at 1 GHz

/// The kernel of 2024 on a machine whose own accesses are free.
TestKernel kernel_2024() {
  return TestKernel::shipped("2024-rfc-v2").policy("private", 64);
}
TestKernel without_check() {
  return kernel_2024().set("wake_checks_waiters", false);
}

/// Duration of a FUTEX_WAKE that finds nobody, its lines all at hand.
Picoseconds empty_wake(const TestKernel& kernel) {
  FutexLab lab(TestMachine{}.atomic(1000).plain(1), kernel, 1);
  Futex& futex = lab.futex(0);
  std::uint32_t woken = 7;
  lab.begin(lab.thread(0), wake_once(lab, lab.thread(0), futex, 1, woken));
  CHECK(lab.run_to_end());
  CHECK(woken == 0);
  return lab.simulation().now();
}

/// Time until four CPUs have each called FUTEX_WAKE a hundred times on a futex without waiters.
Picoseconds empty_wakes_of_four(const TestKernel& kernel) {
  FutexLab lab(TestMachine{}.cores_per_node(4).atomic(8).plain(1), kernel, 4);
  Futex& futex = lab.futex(0);
  const auto wake_often = [&](Thread& thread) -> Task<> {
    for (int i = 0; i < 100; ++i) co_await futex_wake(lab.kernel(), thread, futex, 1);
  };
  for (std::uint32_t i = 0; i < 4; ++i) lab.begin(lab.thread(i), wake_often(lab.thread(i)));
  CHECK(lab.run_to_end());
  return lab.simulation().now();
}

/// A waiter and a waker who changes the word first, at any distance in time.
struct Race {
  int slept = 0, refused = 0;
};
Race races(const TestKernel& kernel, std::uint64_t seeds) {
  Race out;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "race");
    FutexLab lab(TestMachine{}.atomic(8).plain(1), kernel, 2);
    Futex& futex = lab.futex(0);
    Waiting waiting;
    const auto change_and_wake = [&](Thread& thread) -> Task<> {
      co_await thread.cpu().store(futex.word, 1);
      co_await futex_wake(lab.kernel(), thread, futex, 1);
    };
    const Picoseconds waits_at{static_cast<std::int64_t>(random.below(1'000'000))};
    const Picoseconds wakes_at{static_cast<std::int64_t>(random.below(1'000'000))};
    lab.begin(lab.thread(0), wait_once(lab, lab.thread(0), futex, waiting), waits_at);
    lab.begin(lab.thread(1), change_and_wake(lab.thread(1)), wakes_at);
    CHECK(lab.run_to_end());
    CHECK_MESSAGE(waiting.returned, "a lost wake-up");
    CHECK(lab.bucket(futex).waiters.value == 0);
    CHECK(lab.bucket(futex).first == nullptr);
    ++(waiting.slept ? out.slept : out.refused);
  }
  return out;
}

}  // namespace

TEST_CASE("FUTEX_WAIT sleeps: waiters++, lock, state, plist_add, unlock, schedule") {
  FutexLab lab(TestMachine{}.atomic(1000).plain(1), kernel_2024(), 1);
  Futex& futex = lab.futex(0);
  const HashBucket& bucket = lab.bucket(futex);
  Waiting waiting;
  lab.begin(lab.thread(0), wait_once(lab, lab.thread(0), futex, waiting));
  CHECK(lab.run_to_end());
  CHECK_FALSE(waiting.returned);
  CHECK(lab.cpu(0).is_idle());
  CHECK(lab.thread(0).state() == Thread::State::sleeping);
  CHECK(bucket.waiters.value == 1);  // until it is taken out of the chain
  CHECK(bucket.lock.value == 0);
  REQUIRE(bucket.first != nullptr);
  CHECK(&bucket.first->task == &lab.thread(0));
  // Three atomics: waiters, lock, state. Plain: the word, the head of the chain, the own node and
  // the head again, and the unlock. Then the context switch.
  CHECK(lab.simulation().now() == nanoseconds(200 + hash_ns + 30 + 3 * 1000 + 6 + 1000));
}

TEST_CASE("FUTEX_WAIT whose value differs takes the steps of Kernel::futex_wait, and a load") {
  const auto took = [](bool in_line) {
    FutexLab lab(TestMachine{}.atomic(1000).plain(1), kernel_2024(), 1);
    Futex& futex = lab.futex(0);
    futex.word.value = 1;
    const auto program = [&](Thread& thread) -> Task<> {
      if (in_line) {
        co_await lab.kernel().futex_wait(thread, futex.key);
      } else {
        const bool slept = co_await futex_wait(lab.kernel(), thread, futex, 0);
        CHECK_FALSE(slept);
      }
    };
    lab.begin(lab.thread(0), program(lab.thread(0)));
    CHECK(lab.run_to_end());
    CHECK(lab.bucket(futex).waiters.value == 0);
    return lab.simulation().now();
  };
  CHECK(took(false) == took(true) + nanoseconds(1));
}

TEST_CASE("FUTEX_WAKE of one sleeper, line by line") {
  FutexLab lab(TestMachine{}.same_l3(20).upgrade(0.5).wake_up(300).wake_latency(2000),
               kernel_2024(), 2);
  Futex& futex = lab.futex(0);
  Waiting waiting;
  std::uint32_t woken = 0;
  lab.begin(lab.thread(0), wait_once(lab, lab.thread(0), futex, waiting));
  CHECK(lab.run_to_end());
  const Picoseconds begin = nanoseconds(10'000);
  lab.begin(lab.thread(1), wake_once(lab, lab.thread(1), futex, 1, woken),
            begin - lab.simulation().now());
  CHECK(lab.run_to_end());
  CHECK(woken == 1);
  CHECK(waiting.returned);
  CHECK(waiting.slept);
  // The look at waiters fetches the bucket's line, the lock makes it exclusive. The waiter's node
  // is fetched to read the key, and made exclusive to unlink it, which the decrement waits for.
  // Then its task_struct, and after the unlock its run queue.
  const std::int64_t to_wake = 200 + hash_ns + (20 + 10) + (20 + 10) + 20 + 300 + 20;
  // The sleeper reads its node once more.
  CHECK(waiting.at == begin + nanoseconds(to_wake + 2000 + 20));
}

TEST_CASE("the counter of waiters spares an empty wake the lock") {
  // smp_mb() and a load, or lock, head of the chain and unlock.
  CHECK(empty_wake(kernel_2024()) == nanoseconds(200 + hash_ns + 1000 + 1));
  CHECK(empty_wake(without_check()) == nanoseconds(200 + hash_ns + 1000 + 2));
  CHECK(empty_wake(TestKernel::shipped("v3.12").policy("global", 64)) ==
        nanoseconds(200 + hash_ns + 1000 + 3));  // a ticket lock reads what it drew
}

TEST_CASE("empty wakes from several CPUs share the bucket's line, or fight for it") {
  const Picoseconds with_check = empty_wakes_of_four(kernel_2024());
  CHECK(with_check < nanoseconds(100 * (200 + hash_ns + 8 + 1) + 100));
  CHECK(empty_wakes_of_four(without_check()) > with_check + nanoseconds(100 * 20));
}

TEST_CASE("no wake-up is lost, whenever the waker comes") {
  for (const TestKernel& kernel :
       {kernel_2024(), without_check(), TestKernel::shipped("v3.12").policy("global", 64),
        TestKernel::shipped("v3.14").policy("global", 64),
        TestKernel::shipped("2025-series").policy("resizable", 64)}) {
    const Race race = races(kernel, 400);
    CHECK(race.slept > 50);
    CHECK(race.refused > 50);
  }
}

TEST_CASE("waiters are woken first come, first served, as many as asked for") {
  FutexLab lab(TestMachine{}.cores_per_node(6), kernel_2024(), 6);
  Futex& futex = lab.futex(0);
  const HashBucket& bucket = lab.bucket(futex);
  std::array<Waiting, 5> waiting;
  for (std::uint32_t i = 0; i < 5; ++i) {  // the last CPU comes first
    lab.begin(lab.thread(i), wait_once(lab, lab.thread(i), futex, waiting[i]),
              nanoseconds(1000 * (5 - i)));
  }
  CHECK(lab.run_to_end());
  CHECK(bucket.waiters.value == 5);
  std::uint32_t woken = 0;
  const auto wake = [&](Thread& thread) -> Task<> {
    woken = co_await futex_wake(lab.kernel(), thread, futex, 2);
  };
  lab.begin(lab.thread(5), wake(lab.thread(5)));
  CHECK(lab.run_to_end());
  CHECK(woken == 2);
  CHECK(bucket.waiters.value == 3);
  CHECK((waiting[4].returned && waiting[3].returned));
  CHECK_FALSE((waiting[2].returned || waiting[1].returned || waiting[0].returned));
  Thread& again = lab.new_thread(5);
  lab.begin(again, wake_once(lab, again, futex, 100, woken));
  CHECK(lab.run_to_end());
  CHECK(woken == 3);
  CHECK(bucket.waiters.value == 0);
  for (const Waiting& one : waiting) CHECK(one.returned);
}

TEST_CASE("waiters of another futex in the bucket sleep on") {
  FutexLab lab(TestMachine{}.cores_per_node(3), kernel_2024().policy("private", 2), 3);
  Futex& futex = lab.futex(0);
  Futex& other = lab.futex_beside(futex, true);
  Waiting first, second;
  std::uint32_t woken = 0;
  lab.begin(lab.thread(0), wait_once(lab, lab.thread(0), other, first));
  lab.begin(lab.thread(1), wait_once(lab, lab.thread(1), futex, second), nanoseconds(1000));
  CHECK(lab.run_to_end());
  lab.begin(lab.thread(2), wake_once(lab, lab.thread(2), futex, 10, woken));
  CHECK(lab.run_to_end());
  CHECK(woken == 1);
  CHECK_FALSE(first.returned);
  CHECK(second.returned);
  CHECK(lab.bucket(futex).waiters.value == 1);
}

TEST_CASE("threads are woken after the unlock since v4.2, before it until then") {
  const auto lock_at_wake_up = [](const TestKernel& kernel) {
    FutexLab lab(TestMachine{}.atomic(8).plain(1), kernel, 2);
    Futex& futex = lab.futex(0);
    Waiting waiting;
    std::uint32_t woken = 0;
    lab.begin(lab.thread(0), wait_once(lab, lab.thread(0), futex, waiting));
    CHECK(lab.run_to_end());
    lab.begin(lab.thread(1), wake_once(lab, lab.thread(1), futex, 1, woken));
    while (lab.thread(0).state() == Thread::State::sleeping) REQUIRE(lab.simulation().step());
    return lab.bucket(futex).holder != nullptr;
  };
  CHECK_FALSE(lock_at_wake_up(kernel_2024()));
  CHECK_FALSE(lock_at_wake_up(TestKernel::shipped("v4.2").policy("global", 64)));
  CHECK(lock_at_wake_up(TestKernel::shipped("v3.14").policy("global", 64)));
}

TEST_CASE("the chain lies where the layout says, with the lock if it says nothing") {
  const auto bucket_with = [](nlohmann::json layout) {
    FutexLab lab(TestMachine{}, kernel_2024().set("bucket", std::move(layout)), 1);
    const HashBucket& bucket = lab.bucket(lab.futex(0));
    return bucket.chain.line == bucket.lock.line;
  };
  CHECK(bucket_with({{"bytes", 128}, {"waiters_offset", 0}, {"lock_offset", 4}}));
  CHECK_FALSE(bucket_with(
      {{"bytes", 128}, {"waiters_offset", 0}, {"lock_offset", 4}, {"chain_offset", 64}}));
}

TEST_CASE("the wake-up of a waiter that hadn't slept yet ends no later wait") {
  // Others at the table's counter of users keep the waiter on its way to sleep, and a slow wake-up
  // finds it in its next wait.
  int early = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "early");
    FutexLab lab(TestMachine{}.cores_per_node(8).atomic(8).plain(1).wake_up(3000),
                 TestKernel::shipped("2025-series").policy("resizable", 64), 8);
    const std::array<Futex*, 2> futexes{&lab.futex(0), &lab.futex(1)};
    int returned = 0, woken = 0;
    constexpr int rounds = 40;
    const auto wait_in_turn = [&](Thread& thread) -> Task<> {
      for (int i = 0; i < rounds; ++i) {
        const bool slept = co_await futex_wait(lab.kernel(), thread, *futexes[i % 2], 0);
        CHECK(slept);
        ++returned;
        CHECK(returned <= woken + 1);  // with the one whose call hasn't returned
      }
    };
    const auto wake_in_turn = [&](Thread& thread) -> Task<> {
      for (int i = 0; i < rounds; ++i) {
        std::uint32_t now = 0;
        while (now == 0) {
          const Picoseconds pause{static_cast<std::int64_t>(random.below(300'000))};
          co_await thread.cpu().compute(pause);
          now = co_await futex_wake(lab.kernel(), thread, *futexes[i % 2], 1);
        }
        ++woken;
        if (returned == woken) ++early;  // an idle CPU would have taken 2 us
      }
    };
    const auto hammer = [&](Thread& thread) -> Task<> {
      while (woken < rounds) co_await lab.kernel().futex_wait(thread, lab.futex(2).key);
    };
    lab.begin(lab.thread(0), wait_in_turn(lab.thread(0)));
    lab.begin(lab.thread(1), wake_in_turn(lab.thread(1)));
    for (std::uint32_t i = 2; i < 8; ++i) lab.begin(lab.thread(i), hammer(lab.thread(i)));
    CHECK(lab.run_to_end());
    CHECK(returned == rounds);
    for (const Futex* const futex : futexes) CHECK(lab.bucket(*futex).waiters.value == 0);
  }
  CHECK(early > 0);
}
