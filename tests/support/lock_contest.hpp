#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "futexsim/engine/random.hpp"
#include "futexsim/kernel/spin_lock.hpp"
#include "lab.hpp"

namespace futexsim {

/// CPUs that take a lock again and again, and raise a counter under it without an atomic.
struct Contest {
  SpinLock& spinlock;
  Word& lock;
  Word& counter;
  std::uint32_t rounds;
  std::uint64_t longest_think_ns;
  std::vector<std::uint32_t> acquired{};  ///< CPUs, in the order in which they got the lock
  std::uint32_t finished = 0;
};

inline Task<> compete(Thread& thread, Contest& contest, RandomStream& random) {
  Cpu& cpu = thread.cpu();
  for (std::uint32_t round = 0; round < contest.rounds; ++round) {
    const auto think = static_cast<std::int64_t>(random.below(contest.longest_think_ns));
    co_await cpu.compute(nanoseconds(think));
    co_await contest.spinlock.acquire(thread, contest.lock);
    contest.acquired.push_back(cpu.id().value);
    const std::uint32_t value = co_await cpu.load(contest.counter);
    co_await cpu.compute(nanoseconds(10));
    co_await cpu.store(contest.counter, value + 1);
    co_await contest.spinlock.release(thread, contest.lock);
  }
  ++contest.finished;
}

/// Takes a lock again and again for ever, to measure how often that goes.
struct LockLoad {
  SpinLock& spinlock;
  Word& lock;
  Word* counter = nullptr;  ///< raised under the lock if there is one
  Picoseconds critical_section;
  std::function<Picoseconds()> think;
  std::uint64_t operations = 0;
};

inline Task<> lock_for_ever(Thread& thread, LockLoad& load) {
  Cpu& cpu = thread.cpu();
  for (;;) {
    co_await cpu.compute(load.think());
    co_await load.spinlock.acquire(thread, load.lock);
    if (load.counter != nullptr) {
      const std::uint32_t value = co_await cpu.load(*load.counter);
      co_await cpu.store(*load.counter, value + 1);
    }
    co_await cpu.compute(load.critical_section);
    co_await load.spinlock.release(thread, load.lock);
    ++load.operations;
  }
}

/// Operations per microsecond between two times.
inline double throughput(Lab& lab, const LockLoad& load, Picoseconds from, Picoseconds to) {
  lab.run_until(from);
  const std::uint64_t before = load.operations;
  lab.run_until(to);
  return static_cast<double>(load.operations - before) * 1000 / in_nanoseconds(to - from);
}

/// Takes a lock once, for a while; notes when it was held.
inline Task<> hold_once(SpinLock& spinlock, Thread& thread, Word& lock,
                        Picoseconds critical_section, Picoseconds& acquired) {
  Cpu& cpu = thread.cpu();
  co_await spinlock.acquire(thread, lock);
  acquired = cpu.now();
  co_await cpu.compute(critical_section);
  co_await spinlock.release(thread, lock);
}

}  // namespace futexsim
