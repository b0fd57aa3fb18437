#include <doctest/doctest.h>

#include <vector>

#include "futexsim/engine/random.hpp"
#include "futexsim/kernel/hash_function.hpp"

using namespace futexsim;

namespace {

FutexKey at(std::uint64_t address) {
  return {0, address & ~std::uint64_t{4095}, static_cast<std::uint32_t>(address & 4095)};
}

/// x from y = x ^ (x >> shift).
std::uint32_t undo_shift(std::uint32_t y, unsigned shift) {
  std::uint32_t x = y;
  for (unsigned done = shift; done < 32; done += shift) x = y ^ (x >> shift);
  return x;
}

/// The inverse of an odd number modulo 2^32 (Newton).
std::uint32_t inverse(std::uint32_t odd) {
  std::uint32_t x = odd;
  for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
  return x;
}

/// Jenkins' six rounds backwards: (x + c) + (x << s) is x (2^s + 1) + c.
std::uint32_t undo_jenkins(std::uint32_t x) {
  x = undo_shift(x ^ 0xb55a4f09, 16);
  x = (x - 0xfd7046c5) * inverse((1U << 3) + 1);
  std::uint32_t y = 0;  // bit by bit from the lowest: x = (y + c) ^ (y << 9)
  for (unsigned bit = 0; bit < 32; ++bit) {
    const std::uint32_t wrong = ((y + 0xd3a2646c) ^ (y << 9)) ^ x;
    y ^= wrong & (1U << bit);
  }
  x = (y - 0x165667b1) * inverse((1U << 5) + 1);
  x = undo_shift(x ^ 0xc761c23c, 19);
  return (x - 0x7ed55d16) * inverse((1U << 12) + 1);
}

/// By repeated doubling modulo 2^16 + 1, with 0 for 2^16.
std::uint32_t idea_by_doubling(std::uint32_t a, std::uint32_t b) {
  constexpr std::uint32_t modulus = 65537;
  std::uint32_t product = 0;
  std::uint32_t power = a == 0 ? 65536 : a;
  for (std::uint32_t rest = b == 0 ? 65536 : b; rest != 0; rest /= 2) {
    if (rest % 2 != 0) product = (product + power) % modulus;
    power = 2 * power % modulus;
  }
  return product % 65536;
}

}  // namespace

// The expected values of wang and jenkins come from Python's integers of any size, cut off after
// each step.
TEST_CASE("wang is Wang's mix of the address to 32 bits") {
  const auto wang = HashChoice("wang").make();
  CHECK(wang->hash(at(0), 16) == 0x2aea'a2ab);
  CHECK(wang->hash(at(5), 16) == 0x6a96'ca97);
  CHECK(wang->hash(at(0x7f12'3456'7abc), 16) == 0x4eec'4fef);
  CHECK(wang->hash(at(0x5555'5556'0004), 16) == 0xa6d0'991e);
}

TEST_CASE("jenkins is Jenkins' mix of the address's low half") {
  const auto jenkins = HashChoice("jenkins").make();
  CHECK(jenkins->hash(at(0), 16) == 0x6b4e'd927);
  CHECK(jenkins->hash(at(5), 16) == 0x01f2'66ee);
  CHECK(jenkins->hash(at(0x7f12'3456'7abc), 16) == 0xec18'02d5);
  CHECK(jenkins->hash(at(0x5555'5556'0004), 16) == 0xaca5'5f13);
}

TEST_CASE("jenkins can be undone round by round: no two addresses of 32 bits collide") {
  const auto jenkins = HashChoice("jenkins").make();
  RandomStream random(1, "addresses");
  for (int i = 0; i < 10000; ++i) {
    const auto address = static_cast<std::uint32_t>(random.next());
    CHECK(undo_jenkins(jenkins->hash(at(address), 16)) == address);
  }
}

TEST_CASE("qht multiplies the halves of the address as IDEA does: a to ab, b to ab^2") {
  const auto qht = HashChoice("qht").make();
  RandomStream random(1, "addresses");
  std::vector<std::uint32_t> addresses{0, 5, 0x10000, 0xffff'0000, 0xffff'ffff, 0x0001'0001};
  for (int i = 0; i < 10000; ++i) addresses.push_back(static_cast<std::uint32_t>(random.next()));
  for (const std::uint32_t address : addresses) {
    const std::uint32_t b = address % 65536;
    const std::uint32_t ab = idea_by_doubling(address / 65536, b);
    CHECK(qht->hash(at(address), 16) == ab * 65536 + idea_by_doubling(ab, b));
  }
}

// By hand: 2^16 is -1 modulo 2^16 + 1, so 0, 0 becomes (-1)(-1) = 1 and then 1 (-1) = 2^16, which
// is written as 0.
TEST_CASE("qht of 0 is 1 in the high half") {
  CHECK(HashChoice("qht").make()->hash(at(0), 16) == 0x1'0000);
}
