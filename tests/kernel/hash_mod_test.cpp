#include <doctest/doctest.h>

#include <array>

#include "futexsim/engine/random.hpp"
#include "futexsim/experiment/hash_spread.hpp"

using namespace futexsim;

namespace {

constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;

/// From the RFC, by the table's bits.
struct Modulus {
  unsigned bits;
  std::uint64_t prime;
};
constexpr std::array<Modulus, 11> moduli{{{2, 3},
                                          {3, 7},
                                          {4, 13},
                                          {5, 31},
                                          {6, 61},
                                          {7, 127},
                                          {8, 251},
                                          {9, 509},
                                          {10, 1021},
                                          {11, 2039},
                                          {12, 4093}}};

FutexKey at(std::uint64_t address) {
  return {0, address & ~std::uint64_t{4095}, static_cast<std::uint32_t>(address & 4095)};
}

std::vector<FutexKey> strides(std::uint64_t base, std::uint64_t stride, std::uint64_t count) {
  std::vector<FutexKey> out;
  for (std::uint64_t i = 0; i < count; ++i) out.push_back(at(base + i * stride));
  return out;
}

}  // namespace

// With inverse = floor(2^32 / p) = (2^32 - s) / p, the estimate of a / p for a = q p + r is
// q + floor((r 2^32 - a s) / (p 2^32)): q where r 2^32 >= a s, q - 1 otherwise.
TEST_CASE(
    "hash_mod is the remainder by the prime, or a prime more where its inverse is too small") {
  const auto hash_mod = HashChoice("hash_mod").make();
  RandomStream random(1, "addresses");
  for (const Modulus& modulus : moduli) {
    CAPTURE(modulus.bits);
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t address = random.below(std::uint64_t{1} << 47);
      const std::uint64_t a = (address >> 32) ^ (address % two_to_32);
      const std::uint64_t remainder = a % modulus.prime;
      const bool exact = remainder * two_to_32 >= a * (two_to_32 % modulus.prime);
      const std::uint64_t expected = exact ? remainder : remainder + modulus.prime;
      CHECK(hash_mod->hash(at(address), modulus.bits) == expected % (1U << modulus.bits));
    }
  }
}

TEST_CASE("of addresses below 2^16, hash_mod is the remainder except at multiples of the prime") {
  const auto hash_mod = HashChoice("hash_mod").make();
  for (const Modulus& modulus : moduli) {
    CAPTURE(modulus.bits);
    for (std::uint64_t address = 1; address < 65536; ++address) {
      if (address % modulus.prime == 0) continue;
      CHECK(hash_mod->hash(at(address), modulus.bits) == address % modulus.prime);
    }
  }
}

// The remainders that come out a prime too large are the lowest ones, so that other buckets stay
// empty instead, but no fewer.
TEST_CASE("hash_mod uses as many buckets as its prime says: 13 of 16, 3 of 4") {
  const auto hash_mod = HashChoice("hash_mod").make();
  RandomStream random(1, "heap");
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t heap = 0x5555'5555'4000 + 16 * random.below(std::uint64_t{1} << 36);
    CAPTURE(heap);
    const std::vector<FutexKey> array = strides(heap, 4, 1024);
    CHECK(BucketLoads(*hash_mod, array, 16).empty() == 3);
    CHECK(BucketLoads(*hash_mod, array, 4).empty() == 1);
    CHECK(BucketLoads(*HashChoice("jhash2").make(), array, 16).empty() == 0);
  }
}

TEST_CASE("hash_mod serves 4 to 4096 buckets and says so; others serve every table") {
  const auto hash_mod = HashChoice("hash_mod").make();
  for (const std::uint32_t buckets : {4U, 4096U}) CHECK(hash_mod->refusal(buckets).empty());
  for (const std::uint32_t buckets : {1U, 2U, 8192U, 1U << 22}) {
    CHECK(hash_mod->refusal(buckets) == "4 to 4096 buckets");
  }
  for (const std::uint32_t buckets : {1U, 2U, 8192U, 1U << 22}) {
    CHECK(HashChoice("jhash2").make()->refusal(buckets).empty());
  }
}
