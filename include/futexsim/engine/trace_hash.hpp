// The fingerprint of a run: two runs with equal hashes took the same events in the same order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace futexsim {

/// Order-sensitive 64-bit hash of a sequence of integers. Guards determinism, not against an
/// adversary. Each value is spread before it meets the state, so that structured inputs (times,
/// small ids) can't cancel.
class TraceHash {
 public:
  void add(std::uint64_t value) {
    std::uint64_t spread = value * 0x9e3779b97f4a7c15;
    spread ^= spread >> 32;
    state_ = std::rotl(state_ ^ spread, 29) * 0xd1342543de82ef95;
  }

  std::uint64_t value() const {
    std::uint64_t z = state_;  // final mix of MurmurHash3
    z = (z ^ (z >> 33)) * 0xff51afd7ed558ccd;
    z = (z ^ (z >> 33)) * 0xc4ceb9fe1a85ec53;
    return z ^ (z >> 33);
  }

  bool operator==(const TraceHash&) const = default;

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3;  // pi
};

/// 16 lower-case hexadecimal digits, most significant first: how result rows print a hash.
inline std::string to_hex(std::uint64_t value) {
  std::string digits(16, '0');
  for (std::size_t i = digits.size(); i-- > 0; value >>= 4) {
    digits[i] = "0123456789abcdef"[value & 15];
  }
  return digits;
}

}  // namespace futexsim
