// FUTEX_LOCK_PI and FUTEX_UNLOCK_PI: who owns the word, and who gets it next.

#include <doctest/doctest.h>

#include "../support/futex_lab.hpp"

using namespace futexsim;

namespace {

TestKernel kernel_2024() {
  return TestKernel::shipped("2024-rfc-v2").policy("private", 64);
}

/// Locks `rounds` times, for `held` each; notes who got in, and that nobody else was.
struct Holders {
  std::vector<std::uint32_t> order{};
  int inside = 0;
  int finished = 0;
};
Task<> lock_often(FutexLab& lab, Thread& thread, Futex& futex, int rounds, Picoseconds held,
                  Holders& holders) {
  for (int i = 0; i < rounds; ++i) {
    co_await futex_lock_pi(lab.kernel(), thread, futex);
    co_await thread.cpu().elapse();
    holders.order.push_back(thread.number());
    CHECK(++holders.inside == 1);
    CHECK((futex.word.value & futex_tid_mask) == tid(thread));
    co_await thread.cpu().compute(held);
    co_await thread.cpu().elapse();
    --holders.inside;
    co_await futex_unlock_pi(lab.kernel(), thread, futex);
  }
  ++holders.finished;
}

}  // namespace

TEST_CASE("a free futex becomes the thread's TID, and 0 again") {
  FutexLab lab(TestMachine{}.atomic(1000).plain(1), kernel_2024(), 1);
  Futex& futex = lab.futex(0);
  const auto program = [&](Thread& thread) -> Task<> {
    const Cpu& cpu = thread.cpu();
    co_await futex_lock_pi(lab.kernel(), thread, futex);
    // waiters++, lock, cmpxchg of the word, waiters--; word, head of the chain, unlock.
    CHECK(cpu.now() == nanoseconds(200 + 24 + 30 + 4 * 1000 + 3));
    CHECK(futex.word.value == tid(thread));
    const Picoseconds locked = cpu.now();
    co_await futex_unlock_pi(lab.kernel(), thread, futex);
    // lock, cmpxchg; word, head of the chain, unlock.
    CHECK(cpu.now() - locked == nanoseconds(200 + 24 + 2 * 1000 + 3));
    CHECK(futex.word.value == 0);
  };
  lab.begin(lab.thread(0), program(lab.thread(0)));
  CHECK(lab.run_to_end());
  CHECK(lab.bucket(futex).waiters.value == 0);
}

TEST_CASE("the owner hands over to who came first, and the word names it at once") {
  FutexLab lab(TestMachine{}.cores_per_node(3), kernel_2024(), 3);
  Futex& futex = lab.futex(0);
  Holders holders;
  for (const std::uint32_t i : {0U, 2U, 1U}) {
    const std::int64_t turn = i == 0 ? 0 : i == 2 ? 1 : 2;
    lab.begin(lab.thread(i), lock_often(lab, lab.thread(i), futex, 1, nanoseconds(50'000), holders),
              nanoseconds(5000 * turn));
  }
  lab.run_until(nanoseconds(40'000));
  CHECK(futex.word.value == (futex_waiters | tid(lab.thread(0))));
  CHECK(lab.bucket(futex).waiters.value == 2);
  CHECK(lab.cpu(1).is_idle());
  CHECK(lab.cpu(2).is_idle());
  CHECK(lab.run_to_end());
  CHECK(holders.order == std::vector<std::uint32_t>{0, 2, 1});
  CHECK(holders.finished == 3);
  CHECK(futex.word.value == 0);
  CHECK(lab.bucket(futex).waiters.value == 0);
  CHECK(lab.bucket(futex).first == nullptr);
}

TEST_CASE("many threads, more than CPUs: one owner at a time, and everyone finishes") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "pi");
    FutexLab lab(TestMachine{}.cores_per_node(4).atomic(8).plain(1), kernel_2024(), 4);
    Futex& futex = lab.futex(0);
    Holders holders;
    for (std::uint32_t i = 0; i < 10; ++i) {
      Thread& thread = lab.new_thread(i % 4);
      const Picoseconds held = nanoseconds(static_cast<std::int64_t>(random.below(3000)));
      const Picoseconds at = nanoseconds(static_cast<std::int64_t>(random.below(3000)));
      lab.begin(thread, lock_often(lab, thread, futex, 30, held, holders), at);
    }
    CHECK(lab.run_to_end());
    CHECK(holders.finished == 10);
    CHECK(holders.order.size() == 300);
    CHECK(futex.word.value == 0);
    CHECK(lab.bucket(futex).waiters.value == 0);
  }
}

TEST_CASE("user space that takes a free futex by itself doesn't upset the kernel") {
  FutexLab lab(TestMachine{}.cores_per_node(4).atomic(8).plain(1), kernel_2024(), 4);
  Futex& futex = lab.futex(0);
  int inside = 0, finished = 0;
  const auto program = [&](Thread& thread, std::int64_t think) -> Task<> {
    for (int i = 0; i < 200; ++i) {
      if (co_await thread.cpu().compare_exchange(futex.word, 0, tid(thread)) != 0) {
        co_await futex_lock_pi(lab.kernel(), thread, futex);
      }
      co_await thread.cpu().elapse();
      CHECK(++inside == 1);
      co_await thread.cpu().compute(nanoseconds(100));
      co_await thread.cpu().elapse();
      --inside;
      if (co_await thread.cpu().compare_exchange(futex.word, tid(thread), 0) != tid(thread)) {
        co_await futex_unlock_pi(lab.kernel(), thread, futex);
      }
      co_await thread.cpu().compute(nanoseconds(think));
    }
    ++finished;
  };
  for (std::uint32_t i = 0; i < 4; ++i) {
    lab.begin(lab.thread(i), program(lab.thread(i), 150 + 37 * i));
  }
  CHECK(lab.run_to_end());
  CHECK(finished == 4);
  CHECK(futex.word.value == 0);
  CHECK(lab.bucket(futex).waiters.value == 0);
}
