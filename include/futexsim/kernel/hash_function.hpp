#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "futexsim/kernel/futex_key.hpp"
#include "futexsim/parts/registry.hpp"

namespace futexsim {

/// What a call costs on a core, inlined or not as the kernel would have it. Measured on a Zen 3;
/// other cores are taken to need as many cycles, as nothing else is known of them.
struct HashCost {
  std::uint32_t cycles;     ///< latency, the middle of what was measured, rounded up
  std::string_view source;  ///< "Zen 3, 69 instructions, 7.4 ns"
};

/// From a key to a bucket. Implementations register themselves in Registry<HashFunction>.
class HashFunction {
 public:
  /// Tables of 2^least to 2^most buckets.
  struct TableBits {
    unsigned least = 0;
    unsigned most = 32;
  };

  virtual ~HashFunction() = default;
  /// The low `bits` bits choose one of 2^bits buckets; where the function gives more, they stand
  /// above them. Requires table_bits().least <= bits <= table_bits().most.
  virtual std::uint32_t hash(const FutexKey& key, unsigned bits) const = 0;
  virtual HashCost cost() const = 0;
  /// The tables that it can serve.
  virtual TableBits table_bits() const { return {}; }

  std::uint32_t cycles() const { return cost().cycles; }
  /// Empty, or what tables it can serve instead: "4 to 4096 buckets". `buckets`: a power of two.
  std::string refusal(std::uint32_t buckets) const;
};

using HashChoice = Choice<HashFunction>;

}  // namespace futexsim
