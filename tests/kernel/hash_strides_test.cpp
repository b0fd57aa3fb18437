#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "futexsim/experiment/hash_spread.hpp"

using namespace futexsim;

// What the thread of the 2016 RFC says of constants, by counting. Futexes lie at equal strides
// from the beginning of a heap, four for each bucket where nothing else is said. A random function
// would leave n (1 - 1/n)^m of n buckets without any of m futexes, and have a chi-square of 1 per
// degree of freedom. "Poor" is a function that leaves more buckets empty than that, "even" one
// that leaves fewer.

namespace {

constexpr std::uint64_t heap = 0x5555'5556'0000;

std::unique_ptr<HashFunction> hash_64(const char* multiplier) {
  const Document choice("test", {{"name", "hash_64"}, {"multiplier", multiplier}});
  return HashChoice(choice.cursor()).make();
}

std::vector<FutexKey> strides(std::uint64_t base, std::uint64_t stride, std::uint64_t count) {
  std::vector<FutexKey> out;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t address = base + i * stride;
    out.push_back({0, address & ~std::uint64_t{4095}, static_cast<std::uint32_t>(address & 4095)});
  }
  return out;
}

BucketLoads four_a_bucket(const HashFunction& function, std::uint64_t stride, unsigned bits) {
  return {function, strides(heap, stride, std::uint64_t{4} << bits), 1U << bits};
}

double empty_at_random(double buckets, double futexes) {
  return buckets * std::pow(1 - 1 / buckets, futexes);
}

}  // namespace

TEST_CASE("loads, longest, empty and chi-square of a table by hand") {
  // Multiples of 2^63 by an odd constant: the product's highest bit is the address's lowest.
  // Addresses 0, 0, 0, 1 of two buckets: loads 3 and 1, mean 2, chi-square 1/2 + 1/2.
  const std::vector<FutexKey> keys{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, std::uint64_t{1} << 63, 0}};
  const BucketLoads loads(*HashChoice("hash_long").make(), keys, 2);
  CHECK(loads.loads() == std::vector<std::uint32_t>{3, 1});
  CHECK(loads.mean() == 2);
  CHECK(loads.longest() == 3);
  CHECK(loads.empty() == 0);
  CHECK(loads.chi_square() == 1);
  CHECK(loads.chi_square_per_degree() == 1);
  CHECK(std::isnan(BucketLoads(*HashChoice("hash_long").make(), keys, 1).chi_square_per_degree()));
}

TEST_CASE("the old hash_64 puts futexes one to a page into two buckets, or four of 65536") {
  const auto old = HashChoice("hash_64_old").make();
  for (const unsigned bits : {8U, 10U, 12U}) {
    CAPTURE(bits);
    CHECK(four_a_bucket(*old, 4096, bits).empty() == (1U << bits) - 2);
  }
  CHECK(four_a_bucket(*old, 4096, 16).empty() == 65536 - 4);
}

TEST_CASE("hash_long spreads futexes one to a page evenly") {
  const auto hash_long = HashChoice("hash_long").make();
  for (const unsigned bits : {8U, 10U, 12U, 16U}) {
    CAPTURE(bits);
    const BucketLoads loads = four_a_bucket(*hash_long, 4096, bits);
    CHECK(loads.longest() <= 7);
    CHECK(loads.chi_square_per_degree() < 1);
  }
}

// Of 256 buckets a random function leaves 4.7 empty; this one 48.
TEST_CASE("0x9e3700310c100d01 mends pages, but is poor into 8 bits") {
  const auto interim = hash_64("interim-2016");
  for (const unsigned bits : {8U, 10U, 12U, 16U}) {
    CAPTURE(bits);
    CHECK(four_a_bucket(*interim, 4096, bits).longest() <= 8);
  }
  CHECK(four_a_bucket(*interim, 4096, 8).empty() == 48);
  CHECK(four_a_bucket(*interim, 32, 8).empty() == 22);
  CHECK(four_a_bucket(*interim, 4096, 10).empty() == 0);
  CHECK(empty_at_random(256, 1024) == doctest::Approx(4.65).epsilon(0.01));
  CHECK(four_a_bucket(*HashChoice("hash_long").make(), 4096, 8).empty() == 5);
}

// The two constants add up to 2^64, but for one in the last bit.
TEST_CASE("0x9e3779b97f4a7c16 spreads as hash_long, its negative, does") {
  const auto hash_long = HashChoice("hash_long").make();
  const auto golden = hash_64("golden-ratio");
  for (const unsigned bits : {8U, 10U, 12U}) {
    for (const std::uint64_t stride : {4U, 16U, 64U, 4096U}) {
      CAPTURE(bits);
      CAPTURE(stride);
      const BucketLoads one = four_a_bucket(*hash_long, stride, bits);
      const BucketLoads other = four_a_bucket(*golden, stride, bits);
      CHECK(one.longest() == other.longest());
      CHECK(one.chi_square_per_degree() ==
            doctest::Approx(other.chi_square_per_degree()).epsilon(0.01));
    }
  }
}

TEST_CASE("fractions of pi and e spread pages evenly, but each has a stride that it is poor at") {
  const auto pi = hash_64("pi");
  const auto e = hash_64("e");
  for (const unsigned bits : {8U, 10U, 12U}) {
    CAPTURE(bits);
    for (const HashFunction* function : {pi.get(), e.get()}) {
      const BucketLoads loads = four_a_bucket(*function, 4096, bits);
      CHECK(loads.empty() == 0);
      CHECK(loads.longest() <= 7);
    }
  }
  CHECK(four_a_bucket(*pi, 4, 8).empty() == 113);   // of 256
  CHECK(four_a_bucket(*e, 16, 10).empty() == 279);  // of 1024
  CHECK(empty_at_random(1024, 4096) == doctest::Approx(18.7).epsilon(0.01));
}

// One futex a bucket, from address 0. A random function leaves 36.8 % of the buckets empty.
TEST_CASE("the old hash_32 is perfect into 16 bits, and poor at stride 32 into 17") {
  const auto old = HashChoice("hash_32_old").make();
  for (const std::uint64_t stride : {4U, 16U, 32U, 64U, 4096U}) {
    CAPTURE(stride);
    const BucketLoads loads(*old, strides(0, stride, 1 << 16), 1 << 16);
    CHECK(loads.longest() == 1);
  }
  const BucketLoads loads(*old, strides(0, 32, 1 << 17), 1 << 17);
  CHECK(loads.empty() == 57792);  // 44.1 %
  CHECK(empty_at_random(1 << 17, 1 << 17) == doctest::Approx(48219).epsilon(0.001));
}
