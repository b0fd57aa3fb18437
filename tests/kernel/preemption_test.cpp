// Under PREEMPT_RT a thread can lose its CPU with a bucket's lock, whatever operation it is in.

#include <doctest/doctest.h>

#include "../support/futex_lab.hpp"

using namespace futexsim;

namespace {

enum class Operation { wait, requeue, lock_pi };

/// A critical section of 20 us, and a more urgent thread that comes in its midst.
struct Preemption {
  FutexLab lab;
  Futex& futex = lab.futex(0);
  Futex& other = lab.futex_beside(futex, false);
  Thread& urgent = lab.new_thread(0, 50);
  bool ran = false;
  bool lock_was_held = false;
  bool other_was_held = false;
  Picoseconds at;

  Preemption(const char* kernel, Operation operation)
      : lab(TestMachine{}.critical_section(20'000),
            TestKernel::shipped(kernel).policy("immutable", 64), 2) {
    lab.begin(lab.thread(0), run(operation, lab.thread(0)));
    lab.begin(lab.thread(1), start_urgent(lab.thread(1)));
    CHECK(lab.run_to_end());
  }

 private:
  Task<> run(Operation operation, Thread& thread) {
    if (operation == Operation::wait) co_await futex_wait(lab.kernel(), thread, futex, 1);
    if (operation == Operation::lock_pi) co_await futex_lock_pi(lab.kernel(), thread, futex);
    if (operation == Operation::requeue) {
      co_await futex_cmp_requeue(lab.kernel(), thread, futex, other, 1, 1, 0);
    }
  }
  Task<> start_urgent(Thread& parent) {
    co_await parent.cpu().compute(nanoseconds(5000));
    co_await lab.kernel().scheduler().wake_up_new(parent, urgent, look(urgent));
  }
  Task<> look(Thread& thread) {
    ran = true;
    at = thread.cpu().now();
    lock_was_held = lab.bucket(futex).holder != nullptr;
    other_was_held = lab.bucket(other).holder != nullptr;
    co_await thread.cpu().elapse();
  }
};

}  // namespace

TEST_CASE("a more urgent thread has the CPU at the end of the critical section") {
  for (const Operation operation : {Operation::wait, Operation::requeue, Operation::lock_pi}) {
    CAPTURE(static_cast<int>(operation));
    const Preemption preemption("2025-series-rt", operation);
    CHECK(preemption.ran);
    CHECK(preemption.lock_was_held);
    CHECK(preemption.other_was_held == (operation == Operation::requeue));
    CHECK(preemption.at > nanoseconds(20'000 + 1000));
    CHECK(preemption.at < nanoseconds(20'000 + 2000));
  }
}

TEST_CASE("with true spinlocks it has it on the way out") {
  for (const Operation operation : {Operation::wait, Operation::requeue, Operation::lock_pi}) {
    CAPTURE(static_cast<int>(operation));
    const Preemption preemption("2025-series", operation);
    CHECK(preemption.ran);
    CHECK_FALSE(preemption.lock_was_held);
    CHECK_FALSE(preemption.other_was_held);
  }
}
