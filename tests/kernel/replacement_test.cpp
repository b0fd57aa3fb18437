// A process's table is replaced while its threads run.

#include <doctest/doctest.h>

#include <vector>

#include "../support/futex_lab.hpp"

using namespace futexsim;

namespace {

constexpr FutexKey key{0xffff'8880'0000'0040, 0x5555'5556'0000, 4};
constexpr Picoseconds grace_period = microseconds(100);

TestKernel replacing(const char* kernel, const char* policy, std::uint32_t from, std::uint32_t to,
                     std::uint32_t at_us) {
  return TestKernel::shipped(kernel).policy(policy, from).resize(to, at_us).grace_period(0.1);
}

TestKernel replacing(const char* policy, std::uint32_t from, std::uint32_t to,
                     std::uint32_t at_us) {
  return replacing(policy == std::string("percpu") ? "v6.17" : "2025-series", policy, from, to,
                   at_us);
}

/// Of the steps of a replacement, the time after its start that must pass.
Picoseconds least_delay(const std::string& policy) {
  return policy == "percpu" ? grace_period : Picoseconds{};
}

Task<> wait_often(Kernel& kernel, Thread& thread, std::vector<Picoseconds>& took, int times) {
  for (int i = 0; i < times; ++i) {
    const Picoseconds begin = thread.cpu().now();
    co_await kernel.futex_wait(thread, key);
    took.push_back(thread.cpu().now() - begin);
  }
}

TableLife life_of(FutexHashLab& lab) {
  return lab.kernel().table_life(lab.workload().threads().front().mm());
}

/// Threads that spend `outside_ns` of each operation outside the table and `inside_ns` inside, all
/// in one bucket, for half a millisecond after what a replacement needs.
TableLife after_a_while(const char* policy, std::uint32_t threads, double outside_ns,
                        double inside_ns, std::uint64_t seed) {
  const TestMachine machine = TestMachine{}
                                  .cores_per_node(threads)
                                  .atomic(8)
                                  .plain(1)
                                  .futex_wait(outside_ns)
                                  .critical_section(inside_ns);
  FutexHashLab lab(machine, replacing(policy, 1, 64, 20), threads, seed, 16);
  lab.run_until(microseconds(20 + 500) + least_delay(policy));
  CHECK(lab.run_operations(100));  // and they all go on
  return life_of(lab);
}

}  // namespace

TEST_CASE("a thread alone finds its table replaced as soon as that may be") {
  for (const char* const policy : {"resizable", "percpu"}) {
    CAPTURE(policy);
    FutexHashLab lab(TestMachine{}.atomic(8).plain(1).futex_wait(200).critical_section(30),
                     replacing(policy, 16, 64, 50), 1, 1);
    lab.run_until(microseconds(50));
    CHECK(life_of(lab).buckets == 16);
    CHECK_FALSE(life_of(lab).replaced_at.has_value());
    CHECK(lab.run_operations(3000));
    REQUIRE(life_of(lab).replaced_at.has_value());
    CHECK(life_of(lab).buckets == 64);
    const Picoseconds earliest = microseconds(50) + least_delay(policy);
    CHECK(*life_of(lab).replaced_at >= earliest);
    // Two operations of some 300 ns, and 16 buckets to look through.
    CHECK(*life_of(lab).replaced_at < earliest + microseconds(5));
  }
}

TEST_CASE("operations hash into the new table") {
  FutexHashLab lab(TestMachine{}.futex_wait(200), replacing("resizable", 1, 64, 5), 1, 1, 64);
  const HashBucket* const only = &lab.bucket_of(0, 0);
  CHECK(&lab.bucket_of(0, 1) == only);
  CHECK(lab.run_operations(100));
  CHECK(&lab.bucket_of(0, 0) != only);
  const HashBucket& bucket = lab.bucket_of(0, 1);
  const std::uint64_t acquires = lab.kernel().acquires();
  CHECK(lab.run_operations(64));
  CHECK(lab.kernel().acquires() == acquires + 64);
  CHECK(bucket.lock.line->state == CacheLine::State::exclusive);
}

TEST_CASE("between two steps per-CPU counting costs two atomics more on a line of all CPUs") {
  // From 5 us on for 100 us; atomics of 1 us and nothing else that counts.
  KernelLab lab(TestMachine{}.atomic(1000), replacing("percpu", 1, 1, 5), 1);
  std::vector<Picoseconds> took;
  lab.start(0, wait_often(lab.kernel(), lab.thread(0), took, 100));
  CHECK(lab.run_to_end());
  const auto atomics = [&](std::size_t i) { return took[i].count / 1'000'000; };
  CHECK(atomics(0) == 3);
  CHECK(atomics(1) == 3);
  CHECK(atomics(4) == 5);
  CHECK(atomics(20) == 5);
  CHECK(atomics(99) == 3);
}

TEST_CASE("threads that are often all outside let the replacement happen") {
  for (const char* const policy : {"resizable", "percpu"}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      CAPTURE(policy);
      CAPTURE(seed);
      const TableLife life = after_a_while(policy, 4, 20'000, 30, seed);
      CHECK(life.buckets == 64);
      CHECK(life.replaced_at.has_value());
    }
  }
}

TEST_CASE("starvation: while somebody is always inside, nobody replaces the table") {
  // One bucket and 8 threads: 1 us inside and 0.1 us outside keep its lock busy for good.
  for (const char* const policy : {"resizable", "percpu"}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      CAPTURE(policy);
      CAPTURE(seed);
      const TableLife life = after_a_while(policy, 8, 100, 1000, seed);
      CHECK(life.buckets == 1);
      CHECK_FALSE(life.replaced_at.has_value());
    }
  }
}

TEST_CASE("every operation that began before a replacement ends in its old bucket") {
  // Many threads and little time outside: replacements fall among operations. Mutual exclusion and
  // the counts are asserted as they run.
  for (const char* const policy : {"resizable", "percpu"}) {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      CAPTURE(policy);
      CAPTURE(seed);
      FutexHashLab lab(
          TestMachine{}.cores_per_node(6).atomic(8).plain(1).futex_wait(900).critical_section(10),
          replacing(policy, 4, 128, 30), 6, seed, 64);
      CHECK(lab.run_operations(6000));
      CHECK(life_of(lab).buckets == 128);
      CHECK(lab.kernel().acquires() - lab.kernel().releases() <= 6);
    }
  }
}

TEST_CASE("waiters that a replacement moves are found in their new buckets") {
  for (const char* const kernel : {"2025-series", "2025-series-rt"}) {
    for (const char* const policy : {"resizable", "percpu"}) {
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(kernel);
        CAPTURE(policy);
        CAPTURE(seed);
        RandomStream random(seed, "pi");
        FutexLab lab(TestMachine{}.cores_per_node(4).atomic(8).plain(1),
                     replacing(kernel, policy, 4, 64, 30), 4);
        int finished = 0;
        const auto lock_often = [&](Thread& thread, Futex& futex) -> Task<> {
          for (int i = 0; i < 60; ++i) {
            co_await futex_lock_pi(lab.kernel(), thread, futex);
            co_await thread.cpu().elapse();
            CHECK((futex.word.value & futex_tid_mask) == tid(thread));
            co_await thread.cpu().compute(
                nanoseconds(static_cast<std::int64_t>(random.below(3000))));
            co_await futex_unlock_pi(lab.kernel(), thread, futex);
          }
          ++finished;
        };
        for (std::uint32_t i = 0; i < 10; ++i) {
          Thread& thread = lab.new_thread(i % 4);
          lab.begin(thread, lock_often(thread, lab.futex(i % 3)),
                    nanoseconds(static_cast<std::int64_t>(random.below(3000))));
        }
        CHECK(lab.run_to_end());
        CHECK(finished == 10);
        CHECK(lab.kernel().table_life(lab.thread(0).mm()).buckets == 64);
        for (std::uint32_t i = 0; i < 3; ++i) {
          CHECK(lab.futex(i).word.value == 0);
          CHECK(lab.bucket(lab.futex(i)).waiters.value == 0);
        }
      }
    }
  }
}
