#include "futexsim/engine/task.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

using namespace futexsim;

namespace {

/// Awaitable: suspends a process until somebody resumes it.
struct Suspend {
  Process& process;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> handle) { process.suspend_at(handle); }
  void await_resume() const {}
};

/// A local variable that counts how many of its kind are alive.
struct Local {
  explicit Local(int& counter) : alive(counter) { ++alive; }
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;
  ~Local() { --alive; }
  int& alive;
};

Task<int> give(int value) {
  co_return value;
}
Task<std::unique_ptr<int>> give_pointer(int value) {
  co_return std::make_unique<int>(value);
}
Task<int> give_after_suspension(Process& process, int value) {
  co_await Suspend{process};
  co_return value;
}
Task<int> fail(const char* message) {
  throw std::runtime_error(message);
  co_return 0;
}

Task<> sum(Process& process, int& result) {
  const int a = co_await give(1);
  const int b = co_await give_after_suspension(process, 10);
  result = a + b + *co_await give_pointer(100);
}

Task<int> depth(Process& process, int levels) {
  if (levels == 0) {
    co_await Suspend{process};
    co_return 0;
  }
  co_return 1 + co_await depth(process, levels - 1);
}
Task<> store_depth(Process& process, int levels, int& result) {
  result = co_await depth(process, levels);
}

Task<> nested_locals(Process& process, int levels, int& alive) {
  const Local local(alive);
  if (levels == 0) {
    co_await Suspend{process};
  } else {
    co_await nested_locals(process, levels - 1, alive);
  }
}

Task<> catch_failure(std::string& caught) {
  try {
    co_await fail("the child failed");
  } catch (const std::runtime_error& error) {
    caught = error.what();
  }
}
Task<> let_failure_pass(Process& process) {
  co_await Suspend{process};
  co_await fail("nobody caught it");
}

/// Where the stack ends, as seen by the deepest call so far.
struct StackGauge {
  std::uintptr_t highest = 0;
  std::uintptr_t lowest = UINTPTR_MAX;
  [[gnu::noinline]] void look() {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    highest = std::max(highest, here);
    lowest = std::min(lowest, here);
  }
  std::uintptr_t growth() const { return highest - lowest; }
};

constexpr int million = 1'000'000;

Task<int> immediate_child(StackGauge& stack, int value) {
  stack.look();
  co_return value;
}
Task<int> child_with_child(StackGauge& stack, int value) {
  co_return co_await immediate_child(stack, value);
}
Task<> million_children(StackGauge& stack, std::int64_t& total) {
  for (int i = 0; i < million; ++i) total += co_await immediate_child(stack, i);
}
Task<> million_grandchildren(StackGauge& stack, std::int64_t& total) {
  for (int i = 0; i < million; ++i) total += co_await child_with_child(stack, i);
}
Task<> ten_thousand_failures(int& caught) {
  for (int i = 0; i < 10'000; ++i) {
    try {
      co_await fail("again");
    } catch (const std::runtime_error&) {
      ++caught;
    }
  }
}

}  // namespace

TEST_CASE("a task does nothing before its process is resumed") {
  int result = 0;
  Process process;
  process.start(sum(process, result));
  CHECK(result == 0);
  CHECK_FALSE(process.done());
}

TEST_CASE("awaiting a child yields its result, at once or after a suspension, copied or moved") {
  int result = 0;
  Process process;
  process.start(sum(process, result));
  process.resume();
  CHECK(result == 0);
  CHECK_FALSE(process.done());
  process.resume();
  CHECK(result == 111);
  CHECK(process.done());
}

TEST_CASE("a suspension below many levels resumes at the bottom, and results rise to the top") {
  int result = 0;
  Process process;
  process.start(store_depth(process, 100, result));
  process.resume();
  CHECK_FALSE(process.done());
  process.resume();
  CHECK(process.done());
  CHECK(result == 100);
}

TEST_CASE("processes take turns, each at its own place") {
  int first = 0, second = 0;
  Process one, other;
  one.start(sum(one, first));
  other.start(sum(other, second));
  one.resume();
  other.resume();
  other.resume();
  CHECK(second == 111);
  CHECK(first == 0);
  one.resume();
  CHECK(first == 111);
}

TEST_CASE("an exception of a child reaches the parent that awaits it") {
  std::string caught;
  Process process;
  process.start(catch_failure(caught));
  process.resume();
  CHECK(caught == "the child failed");
  CHECK(process.done());
}

TEST_CASE("an exception that nobody catches leaves through resume") {
  Process process;
  process.start(let_failure_pass(process));
  process.resume();
  CHECK_THROWS_WITH_AS(process.resume(), "nobody caught it", std::runtime_error);
  CHECK(process.done());
}

TEST_CASE("a suspended process that goes away destroys the locals of all its tasks") {
  int alive = 0;
  {
    Process process;
    process.start(nested_locals(process, 9, alive));
    process.resume();
    CHECK(alive == 10);
  }
  CHECK(alive == 0);
}

TEST_CASE("a task that never ran is destroyed with its arguments only") {
  int alive = 0;
  Process process;
  { const Task<> never = nested_locals(process, 3, alive); }
  CHECK(alive == 0);
}

TEST_CASE("a million children that finish at once need no more stack than one") {
  StackGauge stack;
  std::int64_t total = 0;
  Process process;
  process.start(million_children(stack, total));
  process.resume();
  CHECK(process.done());
  CHECK(total == std::int64_t{million} * (million - 1) / 2);
  CHECK(stack.growth() < 4096);
}

TEST_CASE("nor do a million children with a child each") {
  StackGauge stack;
  std::int64_t total = 0;
  Process process;
  process.start(million_grandchildren(stack, total));
  process.resume();
  CHECK(total == std::int64_t{million} * (million - 1) / 2);
  CHECK(stack.growth() < 4096);
}

TEST_CASE("nor do children that fail at once") {
  int caught = 0;
  Process process;
  process.start(ten_thousand_failures(caught));
  process.resume();
  CHECK(caught == 10'000);
}
