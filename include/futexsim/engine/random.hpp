// Named, independent random streams that draw the same numbers on every compiler and library.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

namespace futexsim {

namespace detail {

__extension__ typedef unsigned __int128 Uint128;

}  // namespace detail

/// FNV-1a, 64 bits (Fowler, Noll, Vo): a stable name for a string, independent of the library.
constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): seeds the main generator.
class SplitMix64 {
 public:
  constexpr explicit SplitMix64(std::uint64_t state) : state_(state) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// xoshiro256** 1.0 (Blackman, Vigna, ACM TOMS 2021). The state must not be all zero.
class Xoshiro256StarStar {
 public:
  constexpr explicit Xoshiro256StarStar(std::array<std::uint64_t, 4> state) : state_(state) {}

  constexpr std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

namespace detail {

inline constexpr int kLogFractionBits = 40;

/// ln(1 + i/256) for i = 0..256 in units of 2^-40, by ln(1+y) = 2 artanh(y / (2+y)) in integers.
constexpr std::array<std::uint64_t, 257> log_table() {
  constexpr int kBits = 60;
  std::array<std::uint64_t, 257> table{};
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    const auto x = static_cast<std::uint64_t>((Uint128{i} << kBits) / (512 + i));
    const auto x_squared = static_cast<std::uint64_t>((Uint128{x} * x) >> kBits);
    std::uint64_t artanh = 0;
    std::uint64_t odd = 1;
    for (std::uint64_t power = x; power != 0; odd += 2) {
      artanh += power / odd;
      power = static_cast<std::uint64_t>((Uint128{power} * x_squared) >> kBits);
    }
    constexpr int kDropped = kBits - kLogFractionBits - 1;  // the factor 2 of the formula as well
    table[i] = (artanh + (std::uint64_t{1} << (kDropped - 1))) >> kDropped;
  }
  return table;
}

inline constexpr std::array<std::uint64_t, 257> kLogTable = log_table();

/// -ln(uniform / 2^64) in units of 2^-40; at most 2e-6 above the exact value, never below by more
/// than rounding. A uniform of 0 counts as 1.
constexpr std::uint64_t negative_log(std::uint64_t uniform) {
  uniform |= static_cast<std::uint64_t>(uniform == 0);
  const int zeros = std::countl_zero(uniform);
  const std::uint64_t mantissa = (uniform << zeros) << 1;  // what follows the leading one
  const auto cell = static_cast<std::size_t>(mantissa >> 56);
  const std::uint64_t within = (mantissa << 8) >> 32;
  const std::uint64_t step = kLogTable[cell + 1] - kLogTable[cell];
  const std::uint64_t log_mantissa = kLogTable[cell] + ((step * within) >> 32);
  return static_cast<std::uint64_t>(zeros + 1) * kLogTable[256] - log_mantissa;
}

}  // namespace detail

/// The stream of random numbers that (seed, name, index) identify. Streams are independent of each
/// other, so a new consumer with a name of its own changes no draw of any other. Integers only:
/// identical for every compiler, optimisation level and library.
///
/// Two draws in one expression or argument list come in an order that C++ leaves open: draw into
/// variables first. A copy would repeat the original's numbers, so streams only move.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name, std::uint64_t index = 0)
      : generator_(initial_state(seed, name, index)) {}
  RandomStream(RandomStream&&) = default;
  RandomStream& operator=(RandomStream&&) = default;

  /// 64 uniform bits.
  std::uint64_t next() { return generator_.next(); }

  /// Uniform on [0, bound), without bias; bound > 0. Lemire, ACM TOMACS 29 (2019) 3.
  std::uint64_t below(std::uint64_t bound) {
    assert(bound > 0);
    detail::Uint128 product = detail::Uint128{next()} * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t biased = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < biased) {
        product = detail::Uint128{next()} * bound;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// Uniform on the closed interval [low, high]; low <= high.
  template <std::integral T>
  T range(T low, T high) {
    assert(low <= high);
    const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const bool every_value = span == std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t offset = every_value ? next() : below(span + 1);
    return static_cast<T>(static_cast<std::uint64_t>(low) + offset);
  }

  /// True with probability numerator / denominator; denominator > 0.
  bool chance(std::uint64_t numerator, std::uint64_t denominator) {
    return below(denominator) < numerator;
  }

  /// Exponential with this mean, rounded to the nearest integer; in the unit of `mean`, which is at
  /// most 2^58. By inversion of one draw; beyond the rounding off by at most 2e-6 of the mean.
  std::uint64_t exponential(std::uint64_t mean) {
    assert(mean <= std::uint64_t{1} << 58);
    constexpr std::uint64_t kHalf = std::uint64_t{1} << (detail::kLogFractionBits - 1);
    const detail::Uint128 product = detail::Uint128{mean} * detail::negative_log(next());
    return static_cast<std::uint64_t>((product + kHalf) >> detail::kLogFractionBits);
  }

  /// Every order equally likely (Fisher, Yates).
  template <typename T, std::size_t Extent>
  void shuffle(std::span<T, Extent> items) {
    for (std::size_t remaining = items.size(); remaining > 1; --remaining) {
      const auto chosen = static_cast<std::size_t>(below(remaining));
      std::swap(items[remaining - 1], items[chosen]);
    }
  }

 private:
  static Xoshiro256StarStar initial_state(std::uint64_t seed, std::string_view name,
                                          std::uint64_t index) {
    std::uint64_t key = SplitMix64(seed).next();
    key = SplitMix64(key ^ fnv1a(name)).next();
    key = SplitMix64(key ^ index).next();
    SplitMix64 words(key);
    std::array<std::uint64_t, 4> state{};
    for (std::uint64_t& word : state) word = words.next();
    return Xoshiro256StarStar(state);
  }

  Xoshiro256StarStar generator_;
};

}  // namespace futexsim
