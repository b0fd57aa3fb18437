#include <doctest/doctest.h>

#include <array>

#include "futexsim/engine/random.hpp"
#include "futexsim/kernel/hash_function.hpp"

using namespace futexsim;

namespace {

struct Named {
  std::unique_ptr<HashFunction> function;
  std::uint64_t multiplier;
};

std::unique_ptr<HashFunction> hash_64(const char* multiplier) {
  const Document choice("test", {{"name", "hash_64"}, {"multiplier", multiplier}});
  return HashChoice(choice.cursor()).make();
}

FutexKey at(std::uint64_t address) {
  return {0, address & ~std::uint64_t{4095}, static_cast<std::uint32_t>(address & 4095)};
}

/// The `bits` highest bits of x * y modulo 2^width, by long multiplication bit by bit.
std::uint32_t high_bits(std::uint64_t x, std::uint64_t y, unsigned width, unsigned bits) {
  std::uint64_t product = 0;
  for (unsigned i = 0; i < width; ++i) {
    if (((x >> i) & 1U) != 0) product += y << i;
  }
  std::uint32_t out = 0;
  for (unsigned i = 1; i <= bits; ++i) {
    out = 2 * out + static_cast<std::uint32_t>((product >> (width - i)) & 1U);
  }
  return out;
}

/// hash_64() until v3.16, by shifts: 2^63 + 2^61 - 2^57 + 2^54 - 2^51 - 2^18 + 1.
std::uint64_t shift_and_add_64(std::uint64_t x) {
  return (x << 63) + (x << 61) - (x << 57) + (x << 54) - (x << 51) - (x << 18) + x;
}

/// hash_32() as a machine without a multiplier has it: 2^31 + 2^29 - 2^25 + 2^22 - 2^19 - 2^16 + 1.
std::uint32_t shift_and_add_32(std::uint32_t x) {
  return (x << 31) + (x << 29) - (x << 25) + (x << 22) - (x << 19) - (x << 16) + x;
}

std::uint32_t low(std::uint32_t hash, unsigned bits) {
  return bits == 32 ? hash : hash & ((1U << bits) - 1);
}

}  // namespace

TEST_CASE("hash_long and its relatives choose a bucket by the high bits of a product") {
  const std::array<Named, 6> functions{{{HashChoice("hash_long").make(), 0x61c8864680b583eb},
                                        {HashChoice("hash_64_old").make(), 0x9e37fffffffc0001},
                                        {hash_64("interim-2016"), 0x9e3700310c100d01},
                                        {hash_64("golden-ratio"), 0x9e3779b97f4a7c16},
                                        {hash_64("pi"), 0x243f6a8885a308d3},
                                        {hash_64("e"), 0xb7e151628aed2a6b}}};
  RandomStream random(1, "addresses");
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t address = random.next();
    for (const Named& named : functions) {
      CAPTURE(named.multiplier);
      for (unsigned bits = 0; bits <= 32; ++bits) {
        CHECK(low(named.function->hash(at(address), bits), bits) ==
              high_bits(address, named.multiplier, 64, bits));
      }
    }
  }
}

TEST_CASE("hash_32 chooses a bucket by the high bits of a product of 32 bits") {
  const std::array<Named, 2> functions{
      {{HashChoice("hash_32").make(), 0x61c88647}, {HashChoice("hash_32_old").make(), 0x9e370001}}};
  RandomStream random(1, "addresses");
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t address = random.next();
    for (const Named& named : functions) {
      CAPTURE(named.multiplier);
      for (unsigned bits = 0; bits <= 32; ++bits) {
        CHECK(low(named.function->hash(at(address), bits), bits) ==
              high_bits(address & 0xffffffff, named.multiplier, 32, bits));
      }
    }
  }
}

TEST_CASE("the old constants are the shifts and additions of the old kernels") {
  const auto hash_64_old = HashChoice("hash_64_old").make();
  const auto hash_32_old = HashChoice("hash_32_old").make();
  RandomStream random(1, "addresses");
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t address = random.next();
    CHECK(hash_64_old->hash(at(address), 32) == shift_and_add_64(address) >> 32);
    CHECK(hash_32_old->hash(at(address), 32) ==
          shift_and_add_32(static_cast<std::uint32_t>(address)));
  }
}

TEST_CASE("the product's next bits stand above those of the bucket, for tables in parts") {
  const auto hash_long = HashChoice("hash_long").make();
  RandomStream random(1, "addresses");
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t address = random.next();
    const std::uint32_t hash = hash_long->hash(at(address), 8);
    CHECK(((hash & 0xffU) << 24 | hash >> 8) == high_bits(address, 0x61c8864680b583eb, 64, 32));
  }
}
