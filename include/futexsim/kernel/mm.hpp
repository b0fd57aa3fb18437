#pragma once

#include <cstdint>

#include "futexsim/engine/random.hpp"
#include "futexsim/hardware/ids.hpp"
#include "futexsim/kernel/futex_key.hpp"

namespace futexsim {

inline constexpr std::uint64_t page_bytes = 4096;

/// A process's address space as far as futexes see it: the kernel address of its mm_struct and
/// where its heap begins. Both differ from run to run (KASLR and the slab, ASLR).
class Mm {
 public:
  /// `main_node`: where the process's main thread runs, which touches its memory first and asks
  /// for its hash table.
  Mm(std::uint32_t number, NodeId main_node, RandomStream& random);

  std::uint32_t number() const { return number_; }
  NodeId main_node() const { return main_node_; }
  std::uint64_t heap_start() const { return heap_start_; }

  /// Key of a futex that only threads of this process use.
  FutexKey private_key(std::uint64_t address) const {
    return {.mm = address_of_mm_,
            .page = address & ~(page_bytes - 1),
            .offset = static_cast<std::uint32_t>(address & (page_bytes - 1))};
  }
  /// Key of a process-shared futex in anonymous memory.
  FutexKey shared_key(std::uint64_t address) const {
    FutexKey key = private_key(address);
    key.offset |= FutexKey::mm_shared;
    return key;
  }

 private:
  std::uint32_t number_;
  NodeId main_node_;
  std::uint64_t address_of_mm_;
  std::uint64_t heap_start_;
};

}  // namespace futexsim
