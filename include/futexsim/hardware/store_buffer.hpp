#pragma once

#include <array>
#include <cstdint>

#include "futexsim/engine/simulation.hpp"
#include "futexsim/hardware/memory_system.hpp"

namespace futexsim {

/// The stores that a CPU has retired but that are not yet visible: total store order. Each asks
/// for its line at once, so that their transfers overlap, and they become visible in order.
class StoreBuffer {
 public:
  /// Stores that it holds. Real ones hold 36 and more; the kernel's
  /// paths never retire more than this many between two atomics.
  static constexpr std::uint32_t depth = 3;

  /// Is told when a store has become visible.
  class Owner {
   public:
    virtual void store_became_visible() = 0;

   protected:
    ~Owner() = default;
  };

  StoreBuffer(Simulation& simulation, MemorySystem& memory, Owner& owner, CoreId core);

  bool empty() const { return used_ == 0; }
  bool full() const { return used_ == depth; }

  /// Bytes of `word` under `mask` become `value`. Invariant: not full.
  void put(Word& word, std::uint32_t mask, std::uint32_t value);

  /// The word as the own thread sees it: with its stores that aren't visible yet.
  std::uint32_t forward(const Word& word) const;

 private:
  struct Entry final : Actor {
    void fire() override;

    StoreBuffer* buffer = nullptr;
    Word* word = nullptr;
    std::uint32_t mask = 0;
    std::uint32_t value = 0;
    bool requested = false;  ///< the line is on its way
    LineRequest request;
  };

  Entry& oldest() { return entries_[oldest_]; }
  bool asked_for(const CacheLine& line) const;
  void ask_for_line(Entry& entry);
  void commit(Entry& entry);
  void commit_in_order();

  MemorySystem& memory_;
  Owner& owner_;
  std::array<Entry, depth> entries_;
  std::uint32_t oldest_ = 0;
  std::uint32_t used_ = 0;
};

/// A line that was asked for ahead of the store that will need it (PREFETCHW): one at a time, a
/// further one is dropped as real ones may be.
class WritePrefetch final : public Actor {
 public:
  WritePrefetch(Simulation& simulation, MemorySystem& memory, CoreId core);

  void ask(CacheLine& line);
  void fire() override;

 private:
  MemorySystem& memory_;
  LineRequest request_;
};

}  // namespace futexsim
