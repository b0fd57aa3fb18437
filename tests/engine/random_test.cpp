#include "futexsim/engine/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

using namespace futexsim;

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

/// Pearson's statistic against equal expectations; df = bins - 1.
double chi_squared(std::span<const std::uint64_t> observed) {
  const auto total = std::accumulate(observed.begin(), observed.end(), std::uint64_t{0});
  const double expected = static_cast<double>(total) / static_cast<double>(observed.size());
  double sum = 0;
  for (const std::uint64_t count : observed) {
    const double difference = static_cast<double>(count) - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

}  // namespace

TEST_CASE("FNV-1a gives the published test vectors") {
  CHECK(fnv1a("") == 0xcbf29ce484222325);
  CHECK(fnv1a("a") == 0xaf63dc4c8601ec8c);
  CHECK(fnv1a("foobar") == 0x85944171f73967e8);
}

TEST_CASE("SplitMix64 gives the reference sequence of seed 1234567") {
  SplitMix64 generator(1234567);
  CHECK(generator.next() == 6457827717110365317U);
  CHECK(generator.next() == 3203168211198807973U);
  CHECK(generator.next() == 9817491932198370423U);
}

TEST_CASE("xoshiro256** gives the reference sequence of state 1, 2, 3, 4") {
  Xoshiro256StarStar generator({1, 2, 3, 4});
  for (const std::uint64_t expected :
       {std::uint64_t{11520}, std::uint64_t{0}, std::uint64_t{1509978240},
        std::uint64_t{1215971899390074240}, std::uint64_t{1216172134540287360},
        std::uint64_t{607988272756665600}}) {
    CHECK(generator.next() == expected);
  }
}

TEST_CASE("a stream is a function of seed, name and index (vector computed in Python)") {
  RandomStream stream(42, "placement", 7);
  CHECK(stream.next() == 0xed0d52dd851852e8);
  CHECK(stream.next() == 0xa02330205426efa9);
  CHECK(stream.next() == 0x75ded95dbcc08591);
  CHECK(stream.next() == 0x9280cc76d8545e2e);
}

TEST_CASE("a stream can't be copied, which would repeat its numbers") {
  CHECK_FALSE(std::is_copy_constructible_v<RandomStream>);
  CHECK(std::is_nothrow_move_constructible_v<RandomStream>);
}

TEST_CASE("streams that differ in one of seed, name and index are uncorrelated") {
  // Of n words of 64 bits, half of the bits agree; the standard deviation of the count is
  // sqrt(64 n) / 2 = 400, so 2000 is five of them.
  constexpr int kWords = 10'000;
  const auto agreeing_bits = [](RandomStream a, RandomStream b) {
    int agreeing = 0;
    for (int i = 0; i < kWords; ++i) agreeing += 64 - std::popcount(a.next() ^ b.next());
    return agreeing;
  };
  const auto check = [&](RandomStream other) {
    CHECK(std::abs(agreeing_bits(RandomStream(1, "stall"), std::move(other)) - 32 * kWords) < 2000);
  };
  check(RandomStream(2, "stall"));
  check(RandomStream(0, "stall", 1));
  check(RandomStream(1, "stalk"));
  check(RandomStream(1, "stall", 1));
  check(RandomStream(1, "stall", kMost));
  check(RandomStream(1, ""));
}

TEST_CASE("below() is uniform, also where the bound divides no power of two") {
  // 0.1 % and 99.9 % quantiles of chi-squared with 9 degrees: 1.15 and 27.9.
  RandomStream stream(3, "below");
  std::array<std::uint64_t, 10> counts{};
  for (int i = 0; i < 100'000; ++i) ++counts[static_cast<std::size_t>(stream.below(10))];
  CHECK(chi_squared(counts) > 1.15);
  CHECK(chi_squared(counts) < 27.9);
}

TEST_CASE("below() rejects what would bias a huge bound") {
  // Of the bound 3/4 * 2^64, multiplication without rejection favours multiples of 3 twofold.
  RandomStream stream(3, "lemire");
  constexpr std::uint64_t kBound = std::uint64_t{3} << 62;
  std::array<std::uint64_t, 3> counts{};
  for (int i = 0; i < 30'000; ++i) {
    const std::uint64_t value = stream.below(kBound);
    REQUIRE(value < kBound);
    ++counts[static_cast<std::size_t>(value % 3)];
  }
  CHECK(chi_squared(counts) < 13.8);  // 99.9 %, 2 degrees
}

TEST_CASE("below(1) is 0") {
  RandomStream stream(1, "one");
  for (int i = 0; i < 100; ++i) CHECK(stream.below(1) == 0);
}

TEST_CASE("range() is closed, signed and may span every value") {
  RandomStream stream(5, "range");
  std::array<std::uint64_t, 5> counts{};
  for (int i = 0; i < 10'000; ++i) {
    const auto value = stream.range<std::ptrdiff_t>(-2, 2);
    REQUIRE(value >= -2);
    REQUIRE(value <= 2);
    ++counts[static_cast<std::size_t>(value + 2)];
  }
  CHECK(chi_squared(counts) < 18.5);  // 99.9 %, 4 degrees

  CHECK(stream.range(7, 7) == 7);
  std::uint64_t bits_seen = 0;
  for (int i = 0; i < 100; ++i) bits_seen |= stream.range(std::uint64_t{0}, kMost);
  CHECK(bits_seen == kMost);
}

TEST_CASE("chance() keeps its odds, 0 and 1 included") {
  RandomStream stream(5, "chance");
  int yes = 0;
  for (int i = 0; i < 90'000; ++i) {
    CHECK_FALSE(stream.chance(0, 3));
    CHECK(stream.chance(3, 3));
    yes += static_cast<int>(stream.chance(1, 3));
  }
  CHECK(std::abs(yes - 30'000) < 5 * 141);  // sqrt(90000 * 1/3 * 2/3) = 141
}

TEST_CASE("the table of logarithms is ln(1 + i/256)") {
  for (std::size_t i = 0; i < detail::kLogTable.size(); ++i) {
    const double exact = std::log1p(static_cast<double>(i) / 256);
    const double table = static_cast<double>(detail::kLogTable[i]) * 0x1p-40;
    CHECK(table == doctest::Approx(exact).epsilon(1e-11));
  }
}

TEST_CASE("exponential quantiles are -ln(u), extremes included") {
  const auto quantile = [](std::uint64_t uniform) {
    return static_cast<double>(detail::negative_log(uniform)) * 0x1p-40;
  };
  CHECK(detail::negative_log(0) == detail::negative_log(1));
  CHECK(quantile(1) == doctest::Approx(64 * std::log(2.0)).epsilon(1e-10));
  CHECK(quantile(kMost) < 3e-6);
  RandomStream stream(1, "quantiles");
  double worst = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t uniform = stream.next() >> stream.below(64);
    const std::uint64_t positive = std::max<std::uint64_t>(uniform, 1);
    const double exact = -std::log(static_cast<double>(positive) * 0x1p-64);
    worst = std::max(worst, std::abs(quantile(positive) - exact));
  }
  CHECK(worst < 2e-6);
  CHECK(worst > 1e-8);  // the comparison saw the interpolation
}

TEST_CASE("exponential() draws one word and rounds mean * -ln(u)") {
  // The words of this stream are known (above); -ln of them times 10^6 by Python's mpmath.
  RandomStream stream(42, "placement", 7);
  for (const double expected : {76897.7, 469144.9, 775590.8, 558130.7}) {
    CHECK(std::abs(static_cast<double>(stream.exponential(1'000'000)) - expected) < 3);
  }
  CHECK(stream.exponential(0) == 0);
}

TEST_CASE("exponential() has the mean, the variance and the tail of its law") {
  // Standard error of the mean: mean / sqrt(n); of the second moment: sqrt(20/n) mean^2.
  constexpr int kDraws = 1'000'000;
  constexpr std::uint64_t kMean = 1'000'000;
  RandomStream stream(11, "exponential");
  double sum = 0;
  double squares = 0;
  int beyond_three = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double scaled = static_cast<double>(stream.exponential(kMean)) / kMean;
    sum += scaled;
    squares += scaled * scaled;
    beyond_three += static_cast<int>(scaled > 3);
  }
  CHECK(std::abs(sum / kDraws - 1) < 5e-3);
  CHECK(std::abs(squares / kDraws - 2) < 5 * 4.5e-3);
  CHECK(std::abs(beyond_three - 49'787) < 5 * 218);  // exp(-3)
}

TEST_CASE("exponential() rounds to the nearest: of mean 1, 0 stands for what is below 1/2") {
  RandomStream stream(11, "rounding");
  int zeros = 0;
  for (int i = 0; i < 100'000; ++i) zeros += static_cast<int>(stream.exponential(1) == 0);
  CHECK(std::abs(zeros - 39'347) < 5 * 155);  // 1 - exp(-1/2)
}

TEST_CASE("shuffle() makes every order equally likely") {
  RandomStream stream(13, "shuffle");
  std::array<std::uint64_t, 27> by_order{};
  for (int i = 0; i < 60'000; ++i) {
    std::array<std::size_t, 3> items{0, 1, 2};
    stream.shuffle(std::span(items));
    ++by_order[items[0] * 9 + items[1] * 3 + items[2]];
  }
  std::vector<std::uint64_t> seen;
  std::copy_if(by_order.begin(), by_order.end(), std::back_inserter(seen),
               [](std::uint64_t count) { return count > 0; });
  REQUIRE(seen.size() == 6);
  CHECK(chi_squared(seen) < 20.5);  // 99.9 %, 5 degrees
}
