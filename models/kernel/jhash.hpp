#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace futexsim {

/// Bob Jenkins' lookup3 on 32-bit words, as jhash2() in include/linux/jhash.h has it.
constexpr std::uint32_t jhash2(std::span<const std::uint32_t> words, std::uint32_t initval) {
  std::uint32_t a = 0xdeadbeef + (static_cast<std::uint32_t>(words.size()) << 2) + initval;
  std::uint32_t b = a;
  std::uint32_t c = a;
  while (words.size() > 3) {
    a += words[0];
    b += words[1];
    c += words[2];
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
    words = words.subspan(3);
  }
  if (words.empty()) return c;
  if (words.size() > 2) c += words[2];
  if (words.size() > 1) b += words[1];
  a += words[0];
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
  return c;
}

}  // namespace futexsim
