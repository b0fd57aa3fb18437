#pragma once

#include <bit>
#include <cassert>
#include <span>

#include "key_bytes.hpp"

namespace futexsim {
namespace xxh64_detail {

inline constexpr std::uint64_t prime1 = 0x9e3779b185ebca87;
inline constexpr std::uint64_t prime2 = 0xc2b2ae3d27d4eb4f;
inline constexpr std::uint64_t prime3 = 0x165667b19e3779f9;
inline constexpr std::uint64_t prime4 = 0x85ebca77c2b2ae63;
inline constexpr std::uint64_t prime5 = 0x27d4eb2f165667c5;

}  // namespace xxh64_detail

/// XXH64 of fewer than 32 bytes (specification 0.1.1 of xxHash, without the stripes of longer
/// input), which is xxhash() of include/linux/xxhash.h on a 64-bit machine.
constexpr std::uint64_t xxh64(std::span<const std::uint8_t> bytes, std::uint64_t seed) {
  using namespace xxh64_detail;
  assert(bytes.size() < 32);
  std::uint64_t sum = seed + prime5 + bytes.size();
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    const std::uint64_t word = little_endian(bytes.data(), 8);
    sum ^= std::rotl(word * prime2, 31) * prime1;
    sum = std::rotl(sum, 27) * prime1 + prime4;
  }
  if (bytes.size() >= 4) {
    sum ^= little_endian(bytes.data(), 4) * prime1;
    sum = std::rotl(sum, 23) * prime2 + prime3;
    bytes = bytes.subspan(4);
  }
  for (const std::uint8_t byte : bytes) sum = std::rotl(sum ^ (byte * prime5), 11) * prime1;
  sum = (sum ^ (sum >> 33)) * prime2;
  sum = (sum ^ (sum >> 29)) * prime3;
  return sum ^ (sum >> 32);
}

}  // namespace futexsim
