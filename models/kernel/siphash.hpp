#pragma once

#include <array>
#include <bit>
#include <span>

#include "key_bytes.hpp"

namespace futexsim {

/// SipHash-c-d with a key of 16 bytes as two little-endian words (Aumasson, Bernstein, "SipHash: a
/// fast short-input PRF", 2012; lib/siphash.c).
template <int compression_rounds, int finalization_rounds>
constexpr std::uint64_t siphash(std::span<const std::uint8_t> bytes,
                                const std::array<std::uint64_t, 2>& key) {
  // "somepseudorandomlygeneratedbytes"
  std::uint64_t v0 = key[0] ^ 0x736f6d6570736575;
  std::uint64_t v1 = key[1] ^ 0x646f72616e646f6d;
  std::uint64_t v2 = key[0] ^ 0x6c7967656e657261;
  std::uint64_t v3 = key[1] ^ 0x7465646279746573;
  const auto mix = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      v0 += v1, v1 = std::rotl(v1, 13) ^ v0, v0 = std::rotl(v0, 32);
      v2 += v3, v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3, v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1, v1 = std::rotl(v1, 17) ^ v2, v2 = std::rotl(v2, 32);
    }
  };
  const auto absorb = [&](std::uint64_t word) {
    v3 ^= word;
    mix(compression_rounds);
    v0 ^= word;
  };
  const std::uint64_t length = std::uint64_t{bytes.size()} << 56;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) absorb(little_endian(bytes.data(), 8));
  absorb(length | little_endian(bytes.data(), bytes.size()));
  v2 ^= 0xff;
  mix(finalization_rounds);
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace futexsim
