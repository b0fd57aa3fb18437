#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "futexsim/kernel/futex_key.hpp"

namespace futexsim {

inline constexpr std::size_t key_size = 20;

/// The user address of a futex word.
constexpr std::uint64_t uaddr(const FutexKey& key) {
  return key.page + key.offset;
}

/// A key as it lies in memory on a little-endian machine: mm, page, offset.
constexpr std::array<std::uint8_t, key_size> bytes_of(const FutexKey& key) {
  std::array<std::uint8_t, key_size> bytes{};
  const auto put = [&bytes](std::size_t at, std::uint64_t word, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      bytes[at + i] = static_cast<std::uint8_t>(word >> (8 * i));
    }
  };
  put(0, key.mm, 8);
  put(8, key.page, 8);
  put(16, key.offset, 4);
  return bytes;
}

/// `count` bytes, at most 8, as a little-endian number.
constexpr std::uint64_t little_endian(const std::uint8_t* bytes, std::size_t count) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i) word |= std::uint64_t{bytes[i]} << (8 * i);
  return word;
}

}  // namespace futexsim
