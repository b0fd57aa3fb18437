// FUTEX_CMP_REQUEUE: waiters move from one futex's chain to another's.

#include <doctest/doctest.h>

#include "../support/futex_lab.hpp"

using namespace futexsim;

namespace {

TestKernel kernel_of(const char* name, const char* policy, std::uint32_t buckets) {
  return TestKernel::shipped(name).policy(policy, buckets);
}

/// Waiters on `from`, one each on CPUs 1 to 4; CPU 0 is the requeuer's.
struct Sleepers {
  FutexLab lab;
  Futex& from;
  Futex& to;
  std::array<Waiting, 4> waiting{};

  Sleepers(const TestKernel& kernel, bool same_bucket)
      : lab(TestMachine{}.cores_per_node(5).atomic(8).plain(1), kernel, 5),
        from(lab.futex(0)),
        to(lab.futex_beside(from, same_bucket)) {
    for (std::uint32_t i = 1; i <= 4; ++i) {
      lab.begin(lab.thread(i), wait_once(lab, lab.thread(i), from, waiting[i - 1]),
                nanoseconds(1000 * i));
    }
    CHECK(lab.run_to_end());
  }
  std::uint32_t requeue(std::uint32_t nr_wake, std::uint32_t nr_requeue, std::uint32_t value = 0) {
    std::uint32_t moved = 99;
    const auto program = [&](Thread& thread) -> Task<> {
      moved =
          co_await futex_cmp_requeue(lab.kernel(), thread, from, to, nr_wake, nr_requeue, value);
    };
    Thread& thread = lab.new_thread(0);
    lab.begin(thread, program(thread));
    CHECK(lab.run_to_end());
    return moved;
  }
  std::uint32_t wake(Futex& futex, std::uint32_t nr_wake) {
    std::uint32_t woken = 99;
    Thread& thread = lab.new_thread(0);
    lab.begin(thread, wake_once(lab, thread, futex, nr_wake, woken));
    CHECK(lab.run_to_end());
    return woken;
  }
  std::uint32_t waiters(const Futex& futex) { return lab.bucket(futex).waiters.value; }
  int awake() const {
    return static_cast<int>(std::count_if(waiting.begin(), waiting.end(),
                                          [](const Waiting& one) { return one.returned; }));
  }
};

}  // namespace

TEST_CASE("requeued waiters sleep on, and are counted where they are") {
  Sleepers sleepers(kernel_of("2024-rfc-v2", "private", 64), false);
  CHECK(sleepers.waiters(sleepers.from) == 4);
  CHECK(sleepers.requeue(0, 1) == 1);
  CHECK(sleepers.waiters(sleepers.from) == 3);
  CHECK(sleepers.waiters(sleepers.to) == 1);
  CHECK(sleepers.requeue(0, 2) == 2);
  CHECK(sleepers.awake() == 0);
  CHECK(sleepers.wake(sleepers.to, 1) == 1);
  CHECK(sleepers.waiting[0].returned);  // first in, first moved, first woken
  CHECK(sleepers.wake(sleepers.from, 10) == 1);
  CHECK(sleepers.waiting[3].returned);
  CHECK(sleepers.wake(sleepers.to, 10) == 2);
  CHECK(sleepers.awake() == 4);
  CHECK(sleepers.waiters(sleepers.from) == 0);
  CHECK(sleepers.waiters(sleepers.to) == 0);
}

TEST_CASE("some are woken and the rest moved; a word that differs stops it") {
  Sleepers sleepers(kernel_of("2025-series", "resizable", 64), false);
  CHECK(sleepers.requeue(1, 10, 5) == 0);
  CHECK(sleepers.waiters(sleepers.from) == 4);
  CHECK(sleepers.requeue(1, 10) == 4);
  CHECK(sleepers.awake() == 1);
  CHECK(sleepers.waiters(sleepers.to) == 3);
  CHECK(sleepers.wake(sleepers.to, 10) == 3);
  CHECK(sleepers.awake() == 4);
}

TEST_CASE("two keys are hashed, and hb2's counter falls before the unlock or after it") {
  // At 1 GHz, with plain accesses and atomics that cost nothing, all that is left is computed.
  const auto requeue = [](const char* kernel, std::int64_t hash_ns, std::string& log) {
    FutexLab lab(TestMachine{}, kernel_of(kernel, "private", 64), 1);
    Futex& from = lab.futex(0);
    Futex& to = lab.futex_beside(from, false);
    const auto program = [&](Thread& thread) -> Task<> {
      co_await futex_cmp_requeue(lab.kernel(), thread, from, to, 0, 1, 0);
      const Picoseconds begin = thread.cpu().now();
      co_await futex_cmp_requeue(lab.kernel(), thread, from, to, 0, 1, 0);
      CHECK(thread.cpu().now() - begin == nanoseconds(200 + 2 * hash_ns + 30));
    };
    lab.begin(lab.thread(0), program(lab.thread(0)));
    CHECK(lab.run_to_end());

    FutexLab slow(TestMachine{}.atomic(8).plain(1), kernel_of(kernel, "private", 64), 1);
    Futex& a = slow.futex(0);
    const HashBucket& hb2 = slow.bucket(slow.futex_beside(a, false));
    const auto once = [&](Thread& thread) -> Task<> {
      co_await futex_cmp_requeue(slow.kernel(), thread, a, slow.futex_beside(a, false), 0, 1, 0);
    };
    slow.begin(slow.thread(0), once(slow.thread(0)));
    std::uint32_t waiters = 0, lock = 0;
    while (slow.simulation().step()) {
      if (hb2.waiters.value != waiters) log += hb2.waiters.value == 0 ? "waiters-- " : "waiters++ ";
      if (hb2.lock.value != lock) log += hb2.lock.value == 0 ? "unlock " : "lock ";
      waiters = hb2.waiters.value;
      lock = hb2.lock.value;
    }
  };
  std::string before, since;
  requeue("2024-rfc-v2", 24, before);
  CHECK(before == "waiters++ lock unlock waiters-- ");
  requeue("v6.17", 11, since);
  CHECK(since == "waiters++ lock waiters-- unlock ");
}

TEST_CASE("within one bucket only the key changes") {
  Sleepers sleepers(kernel_of("2024-rfc-v2", "private", 2), true);
  CHECK(sleepers.requeue(0, 3) == 3);
  CHECK(sleepers.waiters(sleepers.from) == 4);
  CHECK(sleepers.wake(sleepers.from, 10) == 1);
  CHECK(sleepers.wake(sleepers.to, 10) == 3);
  CHECK(sleepers.awake() == 4);
}

TEST_CASE("v3.12 moves them without a counter") {
  Sleepers sleepers(kernel_of("v3.12", "global", 64), false);
  CHECK(sleepers.requeue(0, 4) == 4);
  CHECK(sleepers.wake(sleepers.to, 4) == 4);
  CHECK(sleepers.awake() == 4);
}

TEST_CASE("two CPUs that requeue in opposite directions don't deadlock") {
  FutexLab lab(TestMachine{}.cores_per_node(4).atomic(8).plain(1),
               kernel_of("2024-rfc-v2", "private", 64), 4);
  Futex& a = lab.futex(0);
  Futex& b = lab.futex_beside(a, false);
  std::array<Waiting, 2> waiting;
  lab.begin(lab.thread(2), wait_once(lab, lab.thread(2), a, waiting[0]));
  lab.begin(lab.thread(3), wait_once(lab, lab.thread(3), b, waiting[1]));
  CHECK(lab.run_to_end());
  int finished = 0;
  const auto requeue_often = [&](Thread& thread, Futex& from, Futex& to) -> Task<> {
    for (int i = 0; i < 500; ++i) {
      co_await futex_cmp_requeue(lab.kernel(), thread, from, to, 0, 1, 0);
    }
    ++finished;
  };
  lab.begin(lab.thread(0), requeue_often(lab.thread(0), a, b));
  lab.begin(lab.thread(1), requeue_often(lab.thread(1), b, a));
  CHECK(lab.run_to_end());
  CHECK(finished == 2);
  CHECK(lab.bucket(a).waiters.value + lab.bucket(b).waiters.value == 2);
  std::uint32_t woken_a = 0, woken_b = 0;
  const auto wake_both = [&](Thread& thread) -> Task<> {
    woken_a = co_await futex_wake(lab.kernel(), thread, a, 10);
    woken_b = co_await futex_wake(lab.kernel(), thread, b, 10);
  };
  Thread& waker = lab.new_thread(0);
  lab.begin(waker, wake_both(waker));
  CHECK(lab.run_to_end());
  CHECK(woken_a + woken_b == 2);
  CHECK((waiting[0].returned && waiting[1].returned));
}
