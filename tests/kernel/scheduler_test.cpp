// Who has a CPU, and for how long.

#include <doctest/doctest.h>

#include "../support/futex_lab.hpp"

using namespace futexsim;

namespace {

Task<> compute(Thread& thread, Picoseconds work, Picoseconds& done) {
  co_await thread.cpu().compute(work);
  co_await thread.cpu().elapse();
  done = thread.cpu().now();
}

/// Sleeps once, until somebody wakes it.
Task<> sleep_once(Scheduler& scheduler, Thread& thread, Picoseconds before, Picoseconds& woken) {
  co_await thread.cpu().compute(before);
  co_await scheduler.prepare_to_sleep(thread);
  co_await scheduler.schedule(thread);
  woken = thread.cpu().now();
}

Task<> wake_at(Scheduler& scheduler, Thread& waker, Thread& sleeper, Picoseconds before) {
  co_await waker.cpu().compute(before);
  co_await scheduler.wake_up(waker, sleeper);
}

/// Round latencies: a context switch takes 1000 ns, a wake-up 300 ns and 2000 ns more on an idle
/// CPU.
FutexLab lab_with(std::uint32_t cpus) {
  return FutexLab(TestMachine{}.cores_per_node(cpus).same_l3(20), TestKernel{}, cpus);
}

}  // namespace

TEST_CASE("a CPU without work has a woken thread after its wake-up's latency") {
  FutexLab lab = lab_with(2);
  Scheduler& scheduler = lab.kernel().scheduler();
  Picoseconds woken;
  lab.begin(lab.thread(0), sleep_once(scheduler, lab.thread(0), {}, woken));
  lab.begin(lab.thread(1), wake_at(scheduler, lab.thread(1), lab.thread(0), nanoseconds(5000)));
  CHECK(lab.run_to_end());
  // try_to_wake_up(), the sleeper's task_struct and its run queue.
  CHECK(woken == nanoseconds(5000 + 300 + 20 + 20 + 2000));
}

TEST_CASE("a busy CPU has it when its thread leaves, a context switch later") {
  FutexLab lab = lab_with(2);
  Scheduler& scheduler = lab.kernel().scheduler();
  Thread& other = lab.new_thread(0);
  Picoseconds woken, done;
  lab.begin(lab.thread(0), sleep_once(scheduler, lab.thread(0), nanoseconds(500), woken));
  const auto busy = [&]() -> Task<> {
    co_await other.cpu().compute(nanoseconds(20'000));
    done = other.cpu().now();
    co_await scheduler.prepare_to_sleep(other);
    co_await scheduler.schedule(other);
  };
  lab.begin(other, busy());
  lab.begin(lab.thread(1), wake_at(scheduler, lab.thread(1), lab.thread(0), nanoseconds(5000)));
  CHECK(lab.run_to_end());
  CHECK(done == nanoseconds(500 + 1000 + 20'000));  // it began when the first slept
  CHECK(woken == done + nanoseconds(1000));
}

TEST_CASE("a thread that ends leaves its CPU to the next") {
  FutexLab lab = lab_with(1);
  Thread& second = lab.new_thread(0);
  Picoseconds first_done, second_done;
  lab.begin(lab.thread(0), compute(lab.thread(0), nanoseconds(700), first_done));
  lab.begin(second, compute(second, nanoseconds(400), second_done));
  CHECK(lab.run_to_end());
  CHECK(first_done == nanoseconds(700));
  CHECK(second_done == nanoseconds(1100));
  CHECK(lab.cpu(0).is_idle());
}

TEST_CASE("a wake-up on the way to sleep is not lost, and no CPU sleeps for it") {
  int in_time = 0, late = 0;
  for (std::int64_t offset = 0; offset <= 1600; offset += 10) {
    CAPTURE(offset);
    FutexLab lab = lab_with(2);
    Scheduler& scheduler = lab.kernel().scheduler();
    Picoseconds woken;
    lab.begin(lab.thread(0), sleep_once(scheduler, lab.thread(0), nanoseconds(600), woken));
    lab.begin(lab.thread(1),
              wake_at(scheduler, lab.thread(1), lab.thread(0), nanoseconds(500 + offset)));
    REQUIRE(lab.run_to_end());
    REQUIRE(woken > Picoseconds{});
    // It sleeps from 1600 ns on; a wake-up before that costs it a futile context switch.
    if (woken == nanoseconds(1600)) ++in_time;
    if (woken > nanoseconds(3600)) ++late;
  }
  CHECK(in_time > 50);
  CHECK(late > 30);
  CHECK(in_time + late == 161);
}

TEST_CASE("who is woken before it gives its CPU away keeps it, and pays no switch") {
  FutexLab lab = lab_with(2);
  Scheduler& scheduler = lab.kernel().scheduler();
  Picoseconds woken;
  const auto late_sleeper = [&](Thread& thread) -> Task<> {
    co_await scheduler.prepare_to_sleep(thread);
    co_await thread.cpu().compute(nanoseconds(5000));
    co_await scheduler.schedule(thread);
    woken = thread.cpu().now();
  };
  lab.begin(lab.thread(0), late_sleeper(lab.thread(0)));
  lab.begin(lab.thread(1), wake_at(scheduler, lab.thread(1), lab.thread(0), nanoseconds(1000)));
  CHECK(lab.run_to_end());
  CHECK(woken == nanoseconds(5000));
}

TEST_CASE("a preempted SCHED_FIFO thread goes on before its equals") {
  FutexLab lab = lab_with(2);
  Scheduler& scheduler = lab.kernel().scheduler();
  std::string order;
  const auto program = [&](Thread& thread, char name) -> Task<> {
    co_await thread.cpu().compute(nanoseconds(10'000));
    co_await thread.cpu().elapse();
    if (scheduler.need_resched(thread)) co_await scheduler.schedule(thread);
    order += name;
  };
  Thread& first = lab.new_thread(0, 10);
  Thread& equal = lab.new_thread(0, 10);
  Thread& urgent = lab.new_thread(0, 20);
  lab.begin(first, program(first, '1'));
  lab.begin(equal, program(equal, '2'));
  const auto start_urgent = [&](Thread& parent) -> Task<> {
    co_await parent.cpu().compute(nanoseconds(5000));
    co_await scheduler.wake_up_new(parent, urgent, program(urgent, '0'));
  };
  lab.begin(lab.thread(1), start_urgent(lab.thread(1)));
  CHECK(lab.run_to_end());
  CHECK(order == "012");
}

TEST_CASE("a wake-up that comes late doesn't end a nap") {
  FutexLab lab = lab_with(2);
  Scheduler& scheduler = lab.kernel().scheduler();
  Picoseconds woken;
  const auto nap = [&](Thread& thread) -> Task<> {
    co_await scheduler.nanosleep(thread, microseconds(100));
    woken = thread.cpu().now();
    CHECK(thread.state() == Thread::State::running);
  };
  lab.begin(lab.thread(0), nap(lab.thread(0)));
  lab.begin(lab.thread(1), wake_at(scheduler, lab.thread(1), lab.thread(0), nanoseconds(9000)));
  CHECK(lab.run_to_end());
  CHECK(woken == microseconds(150) + nanoseconds(2000));
}

TEST_CASE("a thread that runs isn't woken") {
  FutexLab lab = lab_with(2);
  Scheduler& scheduler = lab.kernel().scheduler();
  Picoseconds done;
  lab.begin(lab.thread(0), compute(lab.thread(0), nanoseconds(9000), done));
  lab.begin(lab.thread(1), wake_at(scheduler, lab.thread(1), lab.thread(0), nanoseconds(100)));
  CHECK(lab.run_to_end());
  CHECK(done == nanoseconds(9000));
}

TEST_CASE("two threads of a CPU get equal shares, a time slice in turn") {
  FutexLab lab(TestMachine{}, TestKernel{}.set("time_slice_us", 100), 1);
  std::array<std::uint64_t, 2> operations{};
  Thread& other = lab.new_thread(0);
  const auto program = [&](Thread& thread, std::uint64_t& count) -> Task<> {
    for (;;) {
      co_await lab.kernel().futex_wait(thread, lab.futex(0).key);
      ++count;
    }
  };
  lab.begin(lab.thread(0), program(lab.thread(0), operations[0]));
  lab.begin(other, program(other, operations[1]));
  lab.run_until(nanoseconds(90'000));
  CHECK(operations[0] > 300);
  CHECK(operations[1] == 0);
  lab.run_until(nanoseconds(190'000));
  CHECK(operations[1] > 300);
  lab.run_until(nanoseconds(20'200'000));  // a hundred slices each, with their switches
  const double share =
      static_cast<double>(operations[0]) / static_cast<double>(operations[0] + operations[1]);
  CHECK(share == doctest::Approx(0.5).epsilon(0.01));
  // 254 ns an operation; each slice of 100 us ends with a switch of 1 us.
  const double all = 20'200'000.0 / 101'000 * (100'000.0 / 254);
  CHECK(static_cast<double>(operations[0] + operations[1]) == doctest::Approx(all).epsilon(0.01));
}

TEST_CASE("usleep(1) takes its microsecond, 50 more of slack, and the way there and back") {
  FutexLab lab = lab_with(1);
  Picoseconds done;
  const auto program = [&](Thread& thread) -> Task<> {
    co_await nanosleep(lab.kernel(), thread, microseconds(1));
    done = thread.cpu().now();
  };
  lab.begin(lab.thread(0), program(lab.thread(0)));
  CHECK(lab.run_to_end());
  // The switch is over long before; no futex is hashed.
  CHECK(done == nanoseconds(200 + 51'000 + 2000));
}

TEST_CASE("timers of several threads go off in their order") {
  FutexLab lab = lab_with(4);
  std::vector<std::uint32_t> order;
  const auto program = [&](Thread& thread, std::int64_t us) -> Task<> {
    co_await lab.kernel().scheduler().nanosleep(thread, microseconds(us));
    order.push_back(thread.number());
  };
  const std::array<std::int64_t, 4> us{30, 10, 40, 20};
  for (std::uint32_t i = 0; i < 4; ++i) {
    lab.begin(lab.thread(i), program(lab.thread(i), us[i]));
  }
  CHECK(lab.run_to_end());
  CHECK(order == std::vector<std::uint32_t>{1, 3, 0, 2});
}
