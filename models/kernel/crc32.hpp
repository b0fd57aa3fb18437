#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace futexsim {

/// A CRC of 32 bits, bits reflected, all ones at first and inverted at the end. A table of hash
/// buckets sees no difference to the kernel's crc32_le() and crc32c(), which leave both to the
/// caller: for keys of one length they change the same bits of all results.
template <std::uint32_t reflected_polynomial>
class Crc32 {
 public:
  static constexpr std::uint32_t of(std::span<const std::uint8_t> bytes) {
    std::uint32_t rest = ~0U;
    for (const std::uint8_t byte : bytes) rest = (rest >> 8) ^ table[(rest ^ byte) & 0xffU];
    return ~rest;
  }

 private:
  static constexpr std::array<std::uint32_t, 256> remainders() {
    std::array<std::uint32_t, 256> out{};
    for (std::uint32_t byte = 0; byte < out.size(); ++byte) {
      out[byte] = byte;
      for (int bit = 0; bit < 8; ++bit) {
        out[byte] = (out[byte] >> 1) ^ ((out[byte] & 1U) != 0 ? reflected_polynomial : 0);
      }
    }
    return out;
  }
  static constexpr std::array<std::uint32_t, 256> table = remainders();
};

using Crc32Ieee = Crc32<0xedb88320>;        ///< IEEE 802.3: crc32_le() of lib/crc32.c
using Crc32Castagnoli = Crc32<0x82f63b78>;  ///< RFC 3720: crc32c(), SSE 4.2's instruction

}  // namespace futexsim
