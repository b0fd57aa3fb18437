// spinlock_t of PREEMPT_RT: what it costs alone, who gets it, who sleeps, and what an owner without
// a CPU does to those who wait.

#include <doctest/doctest.h>

#include <deque>

#include "../support/lock_contest.hpp"

using namespace futexsim;

namespace {

/// Threads of any priority, several on a CPU if wanted.
class RtLab : public Lab {
 public:
  RtLab(const TestMachine& machine, std::uint32_t cpus, Picoseconds slice = nanoseconds(3'000'000))
      : Lab(machine, cpus),
        scheduler_(SchedulerTimes(this->machine(), slice), hardware()),
        spinlock_(SpinLockChoice("rt_mutex").make(locks())),
        lock(word()) {}

  Scheduler& scheduler() override { return scheduler_; }
  SpinLock& spinlock() { return *spinlock_; }

  Thread& add(std::uint32_t on_cpu, std::uint32_t priority = 0) {
    if (process_ == nullptr) process_ = &mm();
    const auto number = static_cast<std::uint32_t>(threads_.size());
    return threads_.emplace_back(number, *process_, cpu(on_cpu), priority);
  }

  /// Takes the lock once, and notes when, and in which order.
  Task<> hold(Thread& thread, Picoseconds before, Picoseconds critical_section) {
    co_await thread.cpu().compute(before);
    co_await spinlock_->acquire(thread, lock);
    order.push_back(thread.number());
    acquired.push_back(thread.cpu().now());
    co_await thread.cpu().compute(critical_section);
    co_await spinlock_->release(thread, lock);
  }

  void run(Thread& thread, Task<> program) { scheduler_.start(thread, std::move(program), {}); }

  std::vector<std::uint32_t> order;
  std::vector<Picoseconds> acquired;

 private:
  Scheduler scheduler_;
  std::unique_ptr<SpinLock> spinlock_;
  Mm* process_ = nullptr;
  std::deque<Thread> threads_;

 public:
  Word& lock;
};

Task<> preempt_holder(RtLab& lab, Thread& thread) {
  Word* const held = &lab.lock;
  co_await lab.spinlock().preempt_holder(thread, {&held, 1});
}

/// Takes the lock, loses the CPU with it, and gives it back as soon as it runs again.
Task<> lose_cpu(RtLab& lab, Thread& thread) {
  co_await lab.spinlock().acquire(thread, lab.lock);
  co_await thread.cpu().compute(nanoseconds(10'000));
  co_await thread.cpu().elapse();
  co_await preempt_holder(lab, thread);
  co_await lab.spinlock().release(thread, lab.lock);
}

Task<> compute(Thread& thread, Picoseconds time) {
  co_await thread.cpu().compute(time);
  co_await thread.cpu().elapse();
}

/// Takes the lock, sleeps with it until somebody wakes it, and gives it back.
Task<> sleep_with_lock(RtLab& lab, Thread& thread) {
  co_await lab.spinlock().acquire(thread, lab.lock);
  thread.set_sleeping();
  co_await lab.scheduler().schedule(thread);
  co_await lab.spinlock().release(thread, lab.lock);
}

Task<> wake(RtLab& lab, Thread& waker, Thread& sleeper, Picoseconds after) {
  co_await compute(waker, after);
  co_await lab.scheduler().wake_up(waker, sleeper);
}

/// Raises a counter under the lock, where its slice may end.
Task<> raise(RtLab& lab, Thread& thread, Word& counter, std::uint32_t rounds) {
  Cpu& cpu = thread.cpu();
  for (std::uint32_t round = 0; round < rounds; ++round) {
    co_await lab.spinlock().acquire(thread, lab.lock);
    const std::uint32_t value = co_await cpu.load(counter);
    co_await cpu.compute(nanoseconds(500));
    co_await cpu.elapse();
    if (lab.scheduler().need_resched(thread)) {
      co_await preempt_holder(lab, thread);
    }
    co_await cpu.store(counter, value + 1);
    co_await lab.spinlock().release(thread, lab.lock);
    if (lab.scheduler().need_resched(thread)) co_await lab.scheduler().schedule(thread);
  }
}

}  // namespace

TEST_CASE("alone, the lock is an atomic and so is its release") {
  RtLab lab(TestMachine{}.atomic(8).plain(1), 1);
  lab.memory().place(*lab.lock.line, lab.cpu(0).core_id());
  Thread& thread = lab.add(0);
  lab.run(thread, lab.hold(thread, {}, nanoseconds(30)));
  CHECK(lab.run_to_end());
  CHECK(lab.acquired.front() == nanoseconds(8));
  CHECK(lab.simulation().now() == nanoseconds(8 + 30 + 8));
  CHECK(lab.transfers(Distance::memory) == 0);
  CHECK(lab.lock.value == 0);
}

TEST_CASE("the first waiter spins while the owner runs: no context switch") {
  RtLab lab(TestMachine{}.context_switch(100'000), 2);
  Thread& owner = lab.add(0);
  Thread& waiter = lab.add(1);
  lab.run(owner, lab.hold(owner, {}, nanoseconds(20'000)));
  lab.run(waiter, lab.hold(waiter, nanoseconds(1000), {}));
  lab.run_until(nanoseconds(15'000));
  CHECK(lab.scheduler().runs(waiter));
  CHECK(waiter.state() == Thread::State::rtlock_wait);
  CHECK(lab.run_to_end());
  CHECK(lab.acquired[1] > nanoseconds(20'000));
  CHECK(lab.acquired[1] < nanoseconds(20'500));
  CHECK(lab.lock.value == 0);
}

TEST_CASE("waiters behind the first sleep") {
  RtLab lab(TestMachine{}.cores_per_node(4), 3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    Thread& thread = lab.add(i);
    lab.run(thread, lab.hold(thread, nanoseconds(1000 * i), nanoseconds(20'000)));
  }
  lab.run_until(nanoseconds(15'000));
  CHECK_FALSE(lab.cpu(1).is_idle());
  CHECK(lab.cpu(2).is_idle());
  CHECK(lab.run_to_end());
  CHECK(lab.order == std::vector<std::uint32_t>{0, 1, 2});
  // The second spins for its turn; its release wakes the third: 300 ns, and 2000 of latency.
  CHECK(lab.acquired[1] < nanoseconds(20'500));
  CHECK(lab.acquired[2] > nanoseconds(40'000 + 2300));
  CHECK(lab.acquired[2] < nanoseconds(40'000 + 2300 + 1000));
}

TEST_CASE("waiters get the lock by priority, and equal ones in the order in which they came") {
  RtLab lab(TestMachine{}.cores_per_node(8), 7);
  const std::uint32_t priorities[] = {0, 10, 50, 30, 50, 0, 10};
  for (std::uint32_t i = 0; i < 7; ++i) {
    Thread& thread = lab.add(i, priorities[i]);
    lab.run(thread, lab.hold(thread, nanoseconds(2000 * i), nanoseconds(100'000)));
  }
  CHECK(lab.run_to_end());
  CHECK(lab.order == std::vector<std::uint32_t>{0, 2, 4, 3, 1, 6, 5});
}

TEST_CASE("a waiter sleeps when the owner does, and the unlock wakes it") {
  RtLab lab(TestMachine{}.cores_per_node(4), 3);
  Thread& owner = lab.add(0);
  Thread& waiter = lab.add(1);
  Thread& waker = lab.add(2);
  lab.run(owner, sleep_with_lock(lab, owner));
  lab.run(waiter, lab.hold(waiter, nanoseconds(10'000), {}));
  lab.run(waker, wake(lab, waker, owner, nanoseconds(100'000)));
  lab.run_until(nanoseconds(50'000));
  CHECK(lab.cpu(0).is_idle());
  CHECK(lab.cpu(1).is_idle());
  CHECK(waiter.state() == Thread::State::rtlock_wait);
  CHECK(lab.run_to_end());
  // Two wake-ups, one after the other.
  CHECK(lab.acquired.front() > nanoseconds(100'000 + 2 * 2300));
  CHECK(lab.acquired.front() < nanoseconds(100'000 + 2 * 2300 + 1500));
}

TEST_CASE("a wake-up for something else doesn't end the wait for a lock") {
  RtLab lab(TestMachine{}.cores_per_node(4), 3);
  Thread& owner = lab.add(0);
  Thread& waiter = lab.add(1);
  Thread& waker = lab.add(2);
  lab.run(owner, sleep_with_lock(lab, owner));
  lab.run(waiter, lab.hold(waiter, nanoseconds(10'000), {}));
  lab.run(waker, wake(lab, waker, waiter, nanoseconds(100'000)));
  CHECK(lab.run_to_end());
  CHECK(lab.acquired.empty());
  CHECK(waiter.state() == Thread::State::rtlock_wait);
}

TEST_CASE("a spinning waiter sleeps when the owner is preempted") {
  RtLab lab(TestMachine{}, 2, nanoseconds(5000));
  Thread& owner = lab.add(0);
  Thread& other = lab.add(0);
  Thread& waiter = lab.add(1);
  lab.run(owner, lose_cpu(lab, owner));
  lab.run(other, compute(other, nanoseconds(100'000)));
  lab.run(waiter, lab.hold(waiter, nanoseconds(1000), {}));
  lab.run_until(nanoseconds(9000));
  CHECK_FALSE(lab.cpu(1).is_idle());
  lab.run_until(nanoseconds(50'000));
  CHECK(lab.cpu(1).is_idle());
  CHECK(lab.run_to_end());
  CHECK(lab.acquired.front() > nanoseconds(110'000));
}

TEST_CASE("an owner without a CPU inherits a waiter's priority, and comes before its equals") {
  const auto acquired = [](std::uint32_t priority) {
    RtLab lab(TestMachine{}, 2, nanoseconds(5000));
    Thread& owner = lab.add(0);
    lab.run(owner, lose_cpu(lab, owner));
    for (int i = 0; i < 2; ++i) {
      Thread& other = lab.add(0);
      lab.run(other, compute(other, nanoseconds(100'000)));
    }
    Thread& waiter = lab.add(1, priority);
    lab.run(waiter, lab.hold(waiter, nanoseconds(30'000), {}));
    CHECK(lab.run_to_end());
    CHECK(owner.priority() == 0);
    return lab.acquired.front();
  };
  // 10 us with the lock and a switch, then 100 us of each thread that comes before the owner.
  CHECK(acquired(0) > nanoseconds(211'000));
  CHECK(acquired(50) > nanoseconds(111'000));
  CHECK(acquired(50) < nanoseconds(120'000));
}

TEST_CASE(
    "more threads than CPUs, preempted with the lock: no update is lost, nobody waits for ever") {
  for (const std::uint32_t threads : {2U, 5U, 12U, 40U}) {
    CAPTURE(threads);
    RtLab lab(TestMachine{}.cores_per_node(4), 4, nanoseconds(20'000));
    Word& counter = lab.word();
    for (std::uint32_t i = 0; i < threads; ++i) {
      Thread& thread = lab.add(i % 4, i % 3 == 0 ? i : 0);
      lab.run(thread, raise(lab, thread, counter, 50));
    }
    CHECK(lab.run_to_end());
    CHECK(counter.value == 50 * threads);
    CHECK(lab.lock.value == 0);
  }
}
