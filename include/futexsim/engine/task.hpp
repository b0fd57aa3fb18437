#pragma once

#include <cassert>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "futexsim/engine/frame_pool.hpp"

namespace futexsim {

template <class T = void>
class Task;

/// Where a thread of control goes on.
class Continuation {
 public:
  /// Suspends until `resume` is called.
  void suspend_at(std::coroutine_handle<> handle) { next_ = handle; }
  /// Goes on at once, from the loop in `resume` and thus with an empty stack.
  void continue_at(std::coroutine_handle<> handle) {
    next_ = handle;
    at_once_ = true;
  }

 protected:
  void run() {
    assert(next_ && "resumed while it runs, or after its end");
    do {
      at_once_ = false;
      std::exchange(next_, nullptr).resume();
    } while (at_once_);
  }

 private:
  std::coroutine_handle<> next_;
  bool at_once_ = false;
};

namespace detail {

struct PromiseBase {
  Continuation* process = nullptr;
  std::coroutine_handle<> continuation;
  std::exception_ptr failure;

  static void* operator new(std::size_t bytes) { return FramePool::local().allocate(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept {
    FramePool::local().release(frame, bytes);
  }

  struct Completion {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
      PromiseBase& promise = finished.promise();
      if (promise.continuation) promise.process->continue_at(promise.continuation);
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  Completion final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { failure = std::current_exception(); }
  void rethrow() const {
    if (failure) std::rethrow_exception(failure);
  }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;

  inline Task<T> get_return_object();
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() {
    rethrow();
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  inline Task<void> get_return_object();
  void return_void() const noexcept {}
  void take() const { rethrow(); }
};

}  // namespace detail

/// A lazily started coroutine that models a path through code. Awaiting it runs it to its end on
/// the awaiting task's process and yields its result or its exception.
template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  template <class Parent>
  Handle await_suspend(std::coroutine_handle<Parent> parent) noexcept {
    handle_.promise().continuation = parent;
    handle_.promise().process = parent.promise().process;
    return handle_;
  }
  T await_resume() { return handle_.promise().take(); }

 private:
  friend class Process;
  Handle handle_;
};

template <class T>
Task<T> detail::Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise>::from_promise(*this));
}
inline Task<void> detail::Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

/// One thread of control: a root task and whatever it awaits. Awaitables of the model suspend it
/// with `suspend_at`, and somebody calls `resume` when the wait is over.
///
/// A task starts by symmetric transfer, but completes through the loop in `resume`: a million
/// children that finish at once need no stack, in any build.
class Process : public Continuation {
 public:
  Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Takes the root task; it runs at the first `resume`.
  void start(Task<> root) {
    root_.emplace(std::move(root));
    root_->handle_.promise().process = this;
    suspend_at(root_->handle_);
  }

  /// Runs until the process suspends or ends. Rethrows what the root task threw.
  void resume() {
    run();
    if (done()) root_->handle_.promise().rethrow();
  }

  bool done() const { return root_ && root_->handle_.done(); }

 private:
  std::optional<Task<>> root_;
};

}  // namespace futexsim
