#pragma once

#include <cstdint>

#include "futexsim/engine/random.hpp"
#include "futexsim/kernel/futex_key.hpp"

namespace futexsim {

inline constexpr std::uint64_t page_bytes = 4096;

/// A process's address space as far as futex keys see it: the kernel address of its mm_struct and
/// where its heap begins. Both differ from run to run (KASLR and the slab, ASLR).
class Mm {
 public:
  explicit Mm(RandomStream& random);

  FutexKey private_key(std::uint64_t address) const {
    return {address_of_mm_, address & ~(page_bytes - 1),
            static_cast<std::uint32_t>(address & (page_bytes - 1))};
  }
  std::uint64_t heap_start() const { return heap_start_; }

 private:
  std::uint64_t address_of_mm_;
  std::uint64_t heap_start_;
};

}  // namespace futexsim
