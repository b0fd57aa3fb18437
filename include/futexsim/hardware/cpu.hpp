#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>
#include <vector>

#include "futexsim/engine/simulation.hpp"
#include "futexsim/engine/task.hpp"
#include "futexsim/hardware/memory_system.hpp"

namespace futexsim {

class Cpu;

/// A core's SMT contexts and how fast each computes while others do.
class Core {
 public:
  /// `speed_per_mille[k]`: of a thread while k of its siblings compute as well.
  explicit Core(std::vector<std::int64_t> speed_per_mille)
      : speed_per_mille_(std::move(speed_per_mille)) {}

  void add(Cpu& cpu) { cpus_.push_back(&cpu); }
  std::int64_t speed_per_mille() const { return speed_per_mille_[active_ - 1]; }

  void enter(Cpu& cpu);
  void leave(Cpu& cpu);

 private:
  void settle_others(Cpu& cpu);

  std::vector<std::int64_t> speed_per_mille_;
  std::vector<Cpu*> cpus_;
  std::size_t active_ = 0;
};

/// Where a CPU's time went, in picoseconds.
struct CpuTime {
  std::uint64_t computing = 0;  ///< includes hits in the own cache
  std::uint64_t line = 0;       ///< waiting for a line, queueing included
  std::uint64_t spinning = 0;   ///< on a copy that nobody changes yet
  std::uint64_t draining = 0;   ///< the store buffer, before an atomic or another store
};

/// One CPU and the thread that is pinned to it: computes, loads, stores and does atomic
/// read-modify-writes; total store order with a store buffer of one posted store.
///
/// Computation is lazy: it is spent just before the next access to memory, as one event. While a
/// thread waits (for a line, spinning, draining) its siblings have the core to themselves.
class Cpu final : public Actor {
 public:
  /// Cost of an atomic and of a plain access that hit the own cache.
  struct Costs {
    Picoseconds atomic;
    Picoseconds plain;
  };

  Cpu(Simulation& simulation, MemorySystem& memory, Core& core, CoreId core_id, CpuId id,
      Costs costs);
  Cpu(const Cpu&) = delete;
  Cpu& operator=(const Cpu&) = delete;

  CpuId id() const { return id_; }
  CoreId core_id() const { return core_id_; }
  /// The time at which the computation so far ends if nothing slows it down.
  Picoseconds now() const { return simulation_.now() + work_; }
  const CpuTime& time() const { return time_; }

  void start(Task<> program, Picoseconds first_step);

  /// An awaitable that is always ready.
  std::suspend_never compute(Picoseconds work) {
    work_ += work;
    return {};
  }

  auto load(Word& word);
  auto store(Word& word, std::uint32_t value);
  /// A store of some of the word's bytes: those under `mask` become `value`.
  auto store_part(Word& word, std::uint32_t mask, std::uint32_t value);
  auto fetch_add(Word& word, std::uint32_t delta);
  auto fetch_or(Word& word, std::uint32_t bits);
  auto exchange_part(Word& word, std::uint32_t mask, std::uint32_t value);
  /// Yields what it found; equal to `expected` if it has written.
  auto compare_exchange(Word& word, std::uint32_t expected, std::uint32_t desired);
  /// Reads until `predicate(value)`, and yields that value.
  template <class Predicate>
  auto spin_until(Word& word, Predicate predicate);
  /// A store that the CPU doesn't wait for.
  auto post(Word& word, std::uint32_t value);

  void fire() override;

 private:
  friend class Core;
  template <class Effect>
  friend class MemoryAccess;
  template <class Predicate>
  friend class Spin;
  friend class PostedStore;

  enum class Phase : std::uint8_t { idle, computing, draining, line, spinning };

  /// What a spinning CPU waits for.
  struct Condition {
    virtual bool holds() const = 0;

   protected:
    ~Condition() = default;
  };

  /// The one store that has left the CPU but not yet reached its line.
  class StoreBuffer final : public Actor {
   public:
    explicit StoreBuffer(Cpu& cpu) : cpu_(cpu) {}
    bool busy() const { return word_ != nullptr; }
    void put(Word& word, std::uint32_t value);
    void fire() override;

   private:
    Cpu& cpu_;
    Word* word_ = nullptr;
    std::uint32_t value_ = 0;
    LineRequest request_;
  };

  bool ready(CacheLine& line, Access access);
  void suspend(CacheLine* line, Access access, std::coroutine_handle<> handle,
               const Condition* condition = nullptr);
  void spend(Picoseconds hit) { work_ += hit; }
  void run_work();
  void settle();
  void attempt();
  void arrived();
  void wait_as(Phase phase);
  void go_on();

  Simulation& simulation_;
  MemorySystem& memory_;
  Core& core_;
  CoreId core_id_;
  CpuId id_;
  Costs costs_;
  Process process_;
  StoreBuffer store_buffer_;
  LineRequest request_;
  const Condition* condition_ = nullptr;
  Phase phase_ = Phase::idle;
  bool active_ = false;
  Picoseconds work_;   ///< still to compute, at full speed
  Picoseconds since_;  ///< when the phase began, or was settled last
  CpuTime time_;
};

/// Awaitable: one access to a word, whose effect happens at the instant at which the line is there.
template <class Effect>
class MemoryAccess {
 public:
  MemoryAccess(Cpu& cpu, Word& word, Access access, Picoseconds hit, Effect effect)
      : cpu_(cpu), word_(word), access_(access), hit_(hit), effect_(effect) {}

  bool await_ready() { return cpu_.ready(*word_.line, access_); }
  void await_suspend(std::coroutine_handle<> handle) {
    cpu_.suspend(word_.line, access_, handle);
  }
  auto await_resume() {
    const std::uint32_t old = effect_(word_.value);
    if (access_ == Access::write) cpu_.memory_.wrote(*word_.line);
    cpu_.spend(hit_);
    return old;
  }

 private:
  Cpu& cpu_;
  Word& word_;
  Access access_;
  Picoseconds hit_;
  Effect effect_;
};

/// Awaitable: reads a word until a predicate holds.
template <class Predicate>
class Spin final : Cpu::Condition {
 public:
  Spin(Cpu& cpu, Word& word, Predicate predicate)
      : cpu_(cpu), word_(word), predicate_(predicate) {}

  bool holds() const override { return predicate_(word_.value); }
  bool await_ready() { return cpu_.ready(*word_.line, Access::read) && holds(); }
  void await_suspend(std::coroutine_handle<> handle) {
    cpu_.suspend(word_.line, Access::read, handle, this);
  }
  std::uint32_t await_resume() {
    cpu_.spend(cpu_.costs_.plain);
    return word_.value;
  }

 private:
  Cpu& cpu_;
  Word& word_;
  Predicate predicate_;
};

/// Awaitable: hands a store to the store buffer.
class PostedStore {
 public:
  PostedStore(Cpu& cpu, Word& word, std::uint32_t value) : cpu_(cpu), word_(word), value_(value) {}

  bool await_ready() { return cpu_.work_ == Picoseconds{} && !cpu_.store_buffer_.busy(); }
  void await_suspend(std::coroutine_handle<> handle) {
    cpu_.suspend(nullptr, Access::write, handle);
  }
  void await_resume() {
    cpu_.store_buffer_.put(word_, value_);
    cpu_.spend(cpu_.costs_.plain);
  }

 private:
  Cpu& cpu_;
  Word& word_;
  std::uint32_t value_;
};

inline auto Cpu::load(Word& word) {
  return MemoryAccess(*this, word, Access::read, costs_.plain,
                      [](std::uint32_t& value) { return value; });
}
inline auto Cpu::store(Word& word, std::uint32_t desired) {
  return MemoryAccess(*this, word, Access::write, costs_.plain, [desired](std::uint32_t& value) {
    return std::exchange(value, desired);
  });
}
inline auto Cpu::store_part(Word& word, std::uint32_t mask, std::uint32_t part) {
  return MemoryAccess(*this, word, Access::write, costs_.plain,
                      [mask, part](std::uint32_t& value) {
                        return std::exchange(value, (value & ~mask) | part);
                      });
}
inline auto Cpu::fetch_add(Word& word, std::uint32_t delta) {
  return MemoryAccess(*this, word, Access::write, costs_.atomic, [delta](std::uint32_t& value) {
    return std::exchange(value, value + delta);
  });
}
inline auto Cpu::fetch_or(Word& word, std::uint32_t bits) {
  return MemoryAccess(*this, word, Access::write, costs_.atomic, [bits](std::uint32_t& value) {
    return std::exchange(value, value | bits);
  });
}
inline auto Cpu::exchange_part(Word& word, std::uint32_t mask, std::uint32_t part) {
  return MemoryAccess(*this, word, Access::write, costs_.atomic,
                      [mask, part](std::uint32_t& value) {
                        return std::exchange(value, (value & ~mask) | part);
                      });
}
inline auto Cpu::compare_exchange(Word& word, std::uint32_t expected, std::uint32_t desired) {
  return MemoryAccess(*this, word, Access::write, costs_.atomic,
                      [expected, desired](std::uint32_t& value) {
                        return value == expected ? std::exchange(value, desired) : value;
                      });
}
template <class Predicate>
auto Cpu::spin_until(Word& word, Predicate predicate) {
  return Spin<Predicate>(*this, word, predicate);
}
inline auto Cpu::post(Word& word, std::uint32_t value) { return PostedStore(*this, word, value); }

}  // namespace futexsim
