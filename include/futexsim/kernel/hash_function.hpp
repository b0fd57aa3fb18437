#pragma once

#include <cstdint>

#include "futexsim/kernel/futex_key.hpp"
#include "futexsim/parts/registry.hpp"

namespace futexsim {

/// From a key to 32 bits, of which a table takes the low ones.
/// Implementations register themselves in Registry<HashFunction>.
class HashFunction {
 public:
  virtual ~HashFunction() = default;
  virtual std::uint32_t hash(const FutexKey& key) const = 0;
  /// What it costs on a core, in cycles.
  virtual std::uint32_t cycles() const = 0;
};

using HashChoice = Choice<HashFunction>;

}  // namespace futexsim
