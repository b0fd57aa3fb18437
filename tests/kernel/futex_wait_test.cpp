// The accesses of one FUTEX_WAIT that returns EWOULDBLOCK, as each shipped kernel does them.

#include <doctest/doctest.h>

#include "../support/futex_hash_lab.hpp"

using namespace futexsim;

namespace {

constexpr FutexKey key{0xffff'8880'0000'0040, 0x5555'5556'0000, 4};

Task<> wait_twice(Kernel& kernel, Thread& thread, Picoseconds& second) {
  const Cpu& cpu = thread.cpu();
  co_await kernel.futex_wait(thread, key);
  const Picoseconds begin = cpu.now();
  co_await kernel.futex_wait(thread, key);
  second = cpu.now() - begin;
}

Task<> wait_once(Kernel& kernel, Thread& thread, Picoseconds& took) {
  const Cpu& cpu = thread.cpu();
  const Picoseconds begin = cpu.now();
  co_await kernel.futex_wait(thread, key);
  took = cpu.now() - begin;
}

/// With atomics of 1 us and plain accesses of 1 ns, time counts both.
struct Accesses {
  std::int64_t atomics, plain;
  bool operator==(const Accesses&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Accesses& accesses) {
  return out << accesses.atomics << " atomics and " << accesses.plain << " loads and stores";
}

/// Of an operation whose lines are all at hand.
Accesses accesses(const TestKernel& kernel, std::int64_t hash_cycles) {
  KernelLab lab(TestMachine{}.atomic(1000).plain(1).futex_wait(200).critical_section(30), kernel,
                1);
  Picoseconds second;
  lab.start(0, wait_twice(lab.kernel(), lab.thread(0), second));
  CHECK(lab.run_to_end());
  const std::int64_t ns = (second - nanoseconds(200 + 30 + hash_cycles)).count / 1000;
  return {ns / 1000, ns % 1000};
}

/// Duration of an operation on lines that a core 20 ns away used last; hits are free.
Picoseconds after_another_core(const TestKernel& kernel) {
  KernelLab lab(TestMachine{}.same_l3(20).upgrade(0.5).futex_wait(200).critical_section(30), kernel,
                2);
  Picoseconds first, second;
  lab.start(0, wait_once(lab.kernel(), lab.thread(0), first));
  lab.start(1, wait_once(lab.kernel(), lab.thread(1), second), nanoseconds(10'000));
  CHECK(lab.run_to_end());
  return second;
}

/// How waiters and lock change, in order.
std::string changes(const TestKernel& kernel) {
  KernelLab lab(TestMachine{}.atomic(8).plain(1), kernel, 1);
  Picoseconds took;
  lab.start(0, wait_once(lab.kernel(), lab.thread(0), took));
  const HashBucket& bucket = lab.kernel().bucket_of(lab.thread(0).mm(), key);
  std::string log;
  std::uint32_t waiters = 0, lock = 0;
  while (lab.simulation().step()) {
    if (bucket.waiters.value != waiters)
      log += "waiters=" + std::to_string(bucket.waiters.value) + " ";
    if (bucket.lock.value != lock) log += "lock=" + std::to_string(bucket.lock.value) + " ";
    waiters = bucket.waiters.value;
    lock = bucket.lock.value;
  }
  CHECK(lab.kernel().acquires() == 1);
  CHECK(lab.kernel().releases() == 1);
  return log;
}

constexpr std::int64_t whole_key = 24, address_offset = 11;  // cycles of the hash

}  // namespace

TEST_CASE("2024: waiters++, lock, unlock, waiters--") {
  const TestKernel kernel = TestKernel::shipped("2024-rfc-v2").policy("private", 64);
  CHECK(accesses(kernel, whole_key) == Accesses{3, 1});
  CHECK(changes(kernel) == "waiters=1 lock=1 lock=0 waiters=0 ");
}

TEST_CASE("before 2025 the global table takes the same steps") {
  const TestKernel kernel = TestKernel::shipped("before-2025").policy("global", 64);
  CHECK(accesses(kernel, whole_key) == Accesses{3, 1});
  CHECK(changes(kernel) == "waiters=1 lock=1 lock=0 waiters=0 ");
}

TEST_CASE("the 2025 series decrements before the unlock, and reads hb->priv twice") {
  const TestKernel kernel = TestKernel::shipped("2025-series").policy("immutable", 64);
  CHECK(accesses(kernel, address_offset) == Accesses{3, 3});
  CHECK(changes(kernel) == "waiters=1 lock=1 waiters=0 lock=0 ");
}

TEST_CASE("the 2025 series' global tables hash the whole key, and read hb->priv twice as well") {
  const TestKernel kernel = TestKernel::shipped("2025-series").policy("global-per-node", 64);
  CHECK(accesses(kernel, whole_key) == Accesses{3, 3});
}

TEST_CASE("a resizable table adds a get and a put, and reads of hash_mask and twice immutable") {
  const TestKernel kernel = TestKernel::shipped("2025-series").policy("resizable", 64);
  CHECK(accesses(kernel, address_offset) == Accesses{5, 6});
}

TEST_CASE("per-CPU counting adds no atomic: hash_mask, and twice a state and a CPU's own counter") {
  CHECK(accesses(TestKernel::shipped("v6.17").policy("percpu", 64), address_offset) ==
        Accesses{3, 3 + 1 + 2 * 3});
  // v7.2 doesn't read hb->priv.
  CHECK(accesses(TestKernel::shipped("v7.2").policy("percpu", 64), address_offset) ==
        Accesses{3, 1 + 1 + 2 * 3});
}

TEST_CASE("a CPU's own counter costs another core nothing") {
  // The bucket's line is fetched and upgraded; the header's is read by both.
  KernelLab lab(TestMachine{}.same_l3(20).upgrade(0.5).futex_wait(200).critical_section(30),
                TestKernel::shipped("v6.17").policy("percpu", 64), 2);
  Picoseconds first, second;
  lab.start(0, wait_once(lab.kernel(), lab.thread(0), first));
  lab.start(1, wait_twice(lab.kernel(), lab.thread(1), second), nanoseconds(10'000));
  CHECK(lab.run_to_end());
  CHECK(second == nanoseconds(200 + address_offset + 30));
}

TEST_CASE("without a counter of waiters there is one atomic, the lock") {
  CHECK(accesses(TestKernel{}.waiters("none"), whole_key) == Accesses{1, 1});
}

TEST_CASE("a process-shared futex pays for the hash of the global table, not for the private one") {
  KernelLab lab(TestMachine{}.futex_wait(200).get_user_pages(50).critical_section(30),
                TestKernel::shipped("2025-series").policy("immutable", 64), 1);
  Picoseconds took;
  const auto program = [&](Thread& thread) -> Task<> {
    const FutexKey shared = thread.mm().shared_key(0x5555'5556'0000);
    co_await lab.kernel().futex_wait(thread, shared);
    const Picoseconds begin = thread.cpu().now();
    co_await lab.kernel().futex_wait(thread, shared);
    took = thread.cpu().now() - begin;
  };
  lab.start(0, program(lab.thread(0)));
  CHECK(lab.run_to_end());
  CHECK(took == nanoseconds(200 + 50 + whole_key + 30));
}

TEST_CASE("on a line that another core used last, the 2024 kernel pays one transfer") {
  CHECK(after_another_core(TestKernel::shipped("2024-rfc-v2").policy("private", 64)) ==
        nanoseconds(200 + whole_key + 30 + 20));
}

TEST_CASE("the 2025 series fetches it to read hb->priv, and then upgrades its copy") {
  CHECK(after_another_core(TestKernel::shipped("2025-series").policy("immutable", 64)) ==
        nanoseconds(200 + address_offset + 30 + 20 + 20 / 2));
}

TEST_CASE("a resizable table does the same on the line of its counter") {
  CHECK(after_another_core(TestKernel::shipped("2025-series").policy("resizable", 64)) ==
        nanoseconds(200 + address_offset + 30 + 2 * (20 + 20 / 2)));
}

TEST_CASE("the wait for the lock is counted once for each acquisition") {
  KernelLab lab(TestMachine{}.atomic(8).plain(1), TestKernel{}, 1);
  Picoseconds second;
  lab.start(0, wait_twice(lab.kernel(), lab.thread(0), second));
  CHECK(lab.run_to_end());
  CHECK(lab.kernel().lock_waits().front().count() == 2);
  CHECK(lab.kernel().acquires() == 2);
  CHECK(lab.kernel().releases() == 2);
}

TEST_CASE("a futex that names its node hashes into the global table, whatever its process has") {
  KernelLab lab(TestMachine{}, TestKernel::shipped("v6.17").policy("percpu", 64), 1);
  const Mm& mm = lab.thread(0).mm();
  FutexKey named = key;
  named.node = 0;
  CHECK(&lab.kernel().bucket_of(mm, named) != &lab.kernel().bucket_of(mm, key));
  // Private hashing looks at the address only, global hashing at the process, too.
  FutexKey of_other = named;
  of_other.mm += 64;
  CHECK(&lab.kernel().bucket_of(mm, named) != &lab.kernel().bucket_of(mm, of_other));
}
