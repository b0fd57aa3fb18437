#pragma once

#include <compare>
#include <cstdint>

namespace futexsim {

/// Simulated time and durations: whole picoseconds, so that no result depends on rounding order.
struct Picoseconds {
  std::int64_t count = 0;

  friend constexpr auto operator<=>(Picoseconds, Picoseconds) = default;
  friend constexpr Picoseconds operator+(Picoseconds a, Picoseconds b) {
    return {a.count + b.count};
  }
  friend constexpr Picoseconds operator-(Picoseconds a, Picoseconds b) {
    return {a.count - b.count};
  }
  friend constexpr Picoseconds operator*(Picoseconds a, std::int64_t times) {
    return {a.count * times};
  }
  constexpr Picoseconds& operator+=(Picoseconds other) {
    count += other.count;
    return *this;
  }
  constexpr Picoseconds& operator-=(Picoseconds other) {
    count -= other.count;
    return *this;
  }
};

constexpr Picoseconds nanoseconds(std::int64_t ns) {
  return {ns * 1000};
}
constexpr Picoseconds microseconds(std::int64_t us) {
  return {us * 1'000'000};
}
constexpr double in_nanoseconds(Picoseconds t) {
  return static_cast<double>(t.count) / 1e3;
}
constexpr double in_seconds(Picoseconds t) {
  return static_cast<double>(t.count) / 1e12;
}

}  // namespace futexsim
