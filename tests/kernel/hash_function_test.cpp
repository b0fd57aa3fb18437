#include "futexsim/kernel/hash_function.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "futexsim/kernel/mm.hpp"
#include "futexsim/parts/text_file.hpp"

using namespace futexsim;

// The expected values come from another lookup3, written in Python from Bob Jenkins' description
// for bytes; it gives his published 0x17770551 for "Four score and seven years ago" with initval 0
// and 0xcd628161 with 1. jhash2() of words is lookup3 of their little-endian bytes.

namespace {

struct Vector {
  FutexKey key;
  std::uint32_t whole_key;       ///< of mm and page, seeded with offset
  std::uint32_t address_offset;  ///< of page, seeded with offset
};

const std::vector<Vector> vectors{
    {{0, 0, 0}, 0xbaf9078c, 0x58c184bf},
    {{1, 2, 3}, 0xea1fd492, 0x14df0c85},
    {{0xffff'8881'2345'6780, 0x7f12'3456'7000, 0xabc}, 0xa49a1c19, 0x55834d30},
    {{0xffff'8880'0000'0040, 0x5555'5556'0000, 4}, 0x7279801f, 0xb5aefd57},
};

}  // namespace

TEST_CASE("jhash2 of a whole key has lookup3's values") {
  const auto jhash2 = HashChoice("jhash2").make();
  for (const Vector& vector : vectors) CHECK(jhash2->hash(vector.key, 16) == vector.whole_key);
}

TEST_CASE("jhash2 of the address has lookup3's values, whatever the mm") {
  const auto jhash2 = HashChoice("jhash2_addr_offs").make();
  for (const Vector& vector : vectors) {
    CHECK(jhash2->hash(vector.key, 16) == vector.address_offset);
    FutexKey elsewhere = vector.key;
    elsewhere.mm ^= 0x1240;
    CHECK(jhash2->hash(elsewhere, 16) == vector.address_offset);
  }
}

TEST_CASE("the shorter key costs fewer cycles") {
  CHECK(HashChoice("jhash2_addr_offs").make()->cycles() < HashChoice("jhash2").make()->cycles());
}

TEST_CASE("each hash function has a cost and says where it comes from") {
  for (const std::string& name : HashChoice::Parts::instance().names()) {
    CAPTURE(name);
    const HashCost cost = HashChoice(name).make()->cost();
    CHECK(cost.cycles > 0);
    CHECK(cost.source.find("Zen") != std::string_view::npos);
  }
}

TEST_CASE("the README's example of a hash function is the shipped file, as it was built") {
  const std::string readme = read_text_file(FUTEXSIM_SOURCE_DIR "/models/kernel/README.md");
  const std::string file = read_text_file(FUTEXSIM_SOURCE_DIR "/models/kernel/hash_wang.cpp");
  CHECK(readme.find("```cpp\n" + file + "```\n") != std::string::npos);
}

TEST_CASE("a private key is the mm, the page and the offset in it") {
  RandomStream random(1, "heap");
  const Mm mm(0, {0}, random);
  const FutexKey key = mm.private_key(0x5555'5556'1abc);
  CHECK(key.page == 0x5555'5556'1000);
  CHECK(key.offset == 0xabc);
  CHECK(key.mm == mm.private_key(0).mm);
}

TEST_CASE("an mm lies in the direct map, on its slab's alignment; a heap begins on a page") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomStream random(seed, "heap");
    const Mm mm(0, {0}, random);
    const std::uint64_t address = mm.private_key(0).mm;
    CHECK(address % 64 == 0);
    CHECK(address >= 0xffff'8880'0000'0000);
    CHECK(address < 0xffff'c880'0000'0000);  // the direct map ends 64 TiB later
    CHECK(mm.heap_start() % 4096 == 0);
    CHECK(mm.heap_start() > 0x5555'5555'4000 - 1);
    CHECK(mm.heap_start() < 0x7000'0000'0000);
  }
}
