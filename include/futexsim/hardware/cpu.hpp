#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "futexsim/engine/simulation.hpp"
#include "futexsim/engine/task.hpp"
#include "futexsim/hardware/core.hpp"
#include "futexsim/hardware/memory_system.hpp"
#include "futexsim/hardware/store_buffer.hpp"

namespace futexsim {

/// Where a CPU's time went, in picoseconds.
struct CpuTime {
  std::uint64_t computing = 0;  ///< includes hits in the own cache
  std::uint64_t line = 0;       ///< waiting for a line, queueing included
  std::uint64_t spinning = 0;   ///< on a copy that nobody changes yet
  std::uint64_t draining = 0;   ///< the store buffer, before an atomic or another store
};

/// One CPU: runs one thread of control at a time, which computes, loads, stores and does atomic
/// read-modify-writes, in total store order. Which one it runs is for others to say: it is given
/// the next one, or none.
///
/// Computation is lazy: it is spent just before the next access to memory, as one event. While a
/// thread waits (for a line, spinning, draining) its siblings have the core to themselves.
class Cpu final : public Actor, private StoreBuffer::Owner {
 public:
  /// Cost of an atomic and of a plain access that hit the own cache.
  struct Costs {
    Picoseconds atomic;
    Picoseconds plain;
  };

  /// What a simulation needs for each CPU.
  static constexpr std::uint32_t actors = 2 + StoreBuffer::depth;

  Cpu(Simulation& simulation, MemorySystem& memory, Core& core, CoreId core_id, CpuId id,
      Costs costs);
  Cpu(const Cpu&) = delete;
  Cpu& operator=(const Cpu&) = delete;

  CpuId id() const { return id_; }
  CoreId core_id() const { return core_id_; }
  /// The time at which the computation so far ends if nothing slows it down.
  Picoseconds now() const { return simulation_.now() + work_; }
  const CpuTime& time() const { return time_; }

  /// Takes a program for a CPU that runs no other, which begins when `first_step` has been
  /// computed.
  void start(Task<> program, Picoseconds first_step);
  /// Begins to run `process` once `first_step` has been computed. Invariant: the CPU is idle.
  void run(Process& process, Picoseconds first_step);
  bool is_idle() const { return process_ == nullptr; }

  /// An awaitable that is always ready.
  std::suspend_never compute(Picoseconds work) {
    work_ += work;
    return {};
  }

  /// The CPU stands still for so long: at once if it computes, else before it next goes on.
  void stall(Picoseconds duration);

  /// Until all computation so far is done.
  auto elapse();
  /// The running thread of control leaves the CPU to `next`, or to idleness if null. It goes on
  /// when the CPU is given back to it. Invariant: `next` is another one.
  auto switch_to(Process* next);

  auto load(Word& word);
  /// Waits for room in the store buffer only.
  auto store(Word& word, std::uint32_t value);
  /// A store of some of the word's bytes: those under `mask` become `value`.
  auto store_part(Word& word, std::uint32_t mask, std::uint32_t value);
  /// Asks for the word's line as a store would, without waiting for it.
  auto prefetch_for_write(Word& word);
  auto fetch_add(Word& word, std::uint32_t delta);
  auto fetch_or(Word& word, std::uint32_t bits);
  auto exchange_part(Word& word, std::uint32_t mask, std::uint32_t value);
  /// Yields what it found; equal to `expected` if it has written.
  auto compare_exchange(Word& word, std::uint32_t expected, std::uint32_t desired);
  /// Reads until `predicate(value)`, and yields that value.
  template <class Predicate>
  auto spin_until(Word& word, Predicate predicate);

  void fire() override;

 private:
  friend class Core;
  template <class Effect>
  friend class MemoryAccess;
  template <class Predicate>
  friend class Spin;
  friend class BufferedStore;
  friend class PrefetchForWrite;
  friend class Elapse;
  friend class SwitchTo;

  enum class Phase : std::uint8_t { idle, computing, draining, line, spinning };
  enum class Operation : std::uint8_t { none, load, prefetch, store, atomic };

  /// What a spinning CPU waits for.
  struct Condition {
    virtual bool holds() const = 0;

   protected:
    ~Condition() = default;
  };

  static Access access_of(Operation operation) {
    return operation == Operation::load ? Access::read : Access::write;
  }
  /// Does the thread itself wait until the line is there?
  static bool needs_line(Operation operation) {
    return operation == Operation::load || operation == Operation::atomic;
  }
  bool buffer_admits(Operation operation) const;
  bool ready(Operation operation, const CacheLine& line) const;
  void suspend(Operation operation, CacheLine* line, std::coroutine_handle<> handle,
               const Condition* condition = nullptr);
  void run_work();
  void settle();
  void attempt();
  void arrived();
  void store_became_visible() override;
  void wait_as(Phase phase);
  void go_on();

  Simulation& simulation_;
  MemorySystem& memory_;
  Core& core_;
  CoreId core_id_;
  CpuId id_;
  Costs costs_;
  Process first_;               ///< of `start`
  Process* process_ = nullptr;  ///< the running one
  StoreBuffer store_buffer_;
  WritePrefetch write_prefetch_;
  LineRequest request_;
  const Condition* condition_ = nullptr;
  Operation operation_ = Operation::load;
  Phase phase_ = Phase::idle;
  bool active_ = false;
  Picoseconds work_;   ///< still to compute, at full speed
  Picoseconds since_;  ///< when the phase began, or was settled last
  CpuTime time_;
};

/// Awaitable: a load or an atomic, whose effect happens at the instant at which the line is there.
template <class Effect>
class MemoryAccess {
 public:
  MemoryAccess(Cpu& cpu, Word& word, Cpu::Operation operation, Effect effect)
      : cpu_(cpu), word_(word), operation_(operation), effect_(effect) {}

  bool await_ready() const { return cpu_.ready(operation_, *word_.line); }
  void await_suspend(std::coroutine_handle<> handle) {
    cpu_.suspend(operation_, word_.line, handle);
  }
  std::uint32_t await_resume() {
    const std::uint32_t old = effect_(word_.value);
    if (operation_ == Cpu::Operation::atomic) {
      cpu_.memory_.wrote(*word_.line, cpu_.core_id_);
      cpu_.work_ += cpu_.costs_.atomic;
    } else {
      cpu_.work_ += cpu_.costs_.plain;
    }
    return old;
  }

 private:
  Cpu& cpu_;
  Word& word_;
  Cpu::Operation operation_;
  Effect effect_;
};

/// Awaitable: reads a word until a predicate holds.
template <class Predicate>
class Spin final : Cpu::Condition {
 public:
  Spin(Cpu& cpu, Word& word, Predicate predicate) : cpu_(cpu), word_(word), predicate_(predicate) {}

  bool holds() const override { return predicate_(value()); }
  bool await_ready() const { return cpu_.ready(Cpu::Operation::load, *word_.line) && holds(); }
  void await_suspend(std::coroutine_handle<> handle) {
    cpu_.suspend(Cpu::Operation::load, word_.line, handle, this);
  }
  std::uint32_t await_resume() {
    cpu_.work_ += cpu_.costs_.plain;
    return value();
  }

 private:
  std::uint32_t value() const { return cpu_.store_buffer_.forward(word_); }

  Cpu& cpu_;
  Word& word_;
  Predicate predicate_;
};

/// Awaitable: a store, done for the thread as soon as the store buffer has it.
class BufferedStore {
 public:
  BufferedStore(Cpu& cpu, Word& word, std::uint32_t mask, std::uint32_t value)
      : cpu_(cpu), word_(word), mask_(mask), value_(value) {}

  bool await_ready() const { return cpu_.ready(Cpu::Operation::store, *word_.line); }
  void await_suspend(std::coroutine_handle<> handle) {
    cpu_.suspend(Cpu::Operation::store, word_.line, handle);
  }
  void await_resume() {
    cpu_.store_buffer_.put(word_, mask_, value_);
    cpu_.work_ += cpu_.costs_.plain;
  }

 private:
  Cpu& cpu_;
  Word& word_;
  std::uint32_t mask_;
  std::uint32_t value_;
};

/// Awaitable: a prefetch, which is asked for as soon as the computation before it is done.
class PrefetchForWrite {
 public:
  PrefetchForWrite(Cpu& cpu, Word& word) : cpu_(cpu), word_(word) {}

  bool await_ready() const { return cpu_.ready(Cpu::Operation::prefetch, *word_.line); }
  void await_suspend(std::coroutine_handle<> handle) {
    cpu_.suspend(Cpu::Operation::prefetch, word_.line, handle);
  }
  void await_resume() { cpu_.write_prefetch_.ask(*word_.line); }

 private:
  Cpu& cpu_;
  Word& word_;
};

/// Awaitable: nothing but the end of the computation so far.
class Elapse {
 public:
  explicit Elapse(Cpu& cpu) : cpu_(cpu) {}

  bool await_ready() const { return cpu_.work_ == Picoseconds{}; }
  void await_suspend(std::coroutine_handle<> handle) {
    cpu_.suspend(Cpu::Operation::none, nullptr, handle);
  }
  void await_resume() const {}

 private:
  Cpu& cpu_;
};

/// Awaitable: another thread of control, or none, has the CPU until it is given back.
class SwitchTo {
 public:
  SwitchTo(Cpu& cpu, Process* next) : cpu_(cpu), next_(next) {}

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    cpu_.process_->suspend_at(handle);
    cpu_.process_ = next_;
  }
  void await_resume() const {}

 private:
  Cpu& cpu_;
  Process* next_;
};

inline auto Cpu::elapse() {
  return Elapse(*this);
}
inline auto Cpu::switch_to(Process* next) {
  return SwitchTo(*this, next);
}
inline auto Cpu::prefetch_for_write(Word& word) {
  return PrefetchForWrite(*this, word);
}
inline auto Cpu::load(Word& word) {
  return MemoryAccess(*this, word, Operation::load,
                      [this, &word](std::uint32_t&) { return store_buffer_.forward(word); });
}
inline auto Cpu::store(Word& word, std::uint32_t value) {
  return BufferedStore(*this, word, ~0U, value);
}
inline auto Cpu::store_part(Word& word, std::uint32_t mask, std::uint32_t value) {
  return BufferedStore(*this, word, mask, value);
}
inline auto Cpu::fetch_add(Word& word, std::uint32_t delta) {
  return MemoryAccess(*this, word, Operation::atomic, [delta](std::uint32_t& value) {
    return std::exchange(value, value + delta);
  });
}
inline auto Cpu::fetch_or(Word& word, std::uint32_t bits) {
  return MemoryAccess(*this, word, Operation::atomic,
                      [bits](std::uint32_t& value) { return std::exchange(value, value | bits); });
}
inline auto Cpu::exchange_part(Word& word, std::uint32_t mask, std::uint32_t part) {
  return MemoryAccess(*this, word, Operation::atomic, [mask, part](std::uint32_t& value) {
    return std::exchange(value, (value & ~mask) | part);
  });
}
inline auto Cpu::compare_exchange(Word& word, std::uint32_t expected, std::uint32_t desired) {
  return MemoryAccess(*this, word, Operation::atomic, [expected, desired](std::uint32_t& value) {
    return value == expected ? std::exchange(value, desired) : value;
  });
}
template <class Predicate>
auto Cpu::spin_until(Word& word, Predicate predicate) {
  return Spin<Predicate>(*this, word, predicate);
}

}  // namespace futexsim
