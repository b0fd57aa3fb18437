#include <doctest/doctest.h>

#include <vector>

#include "futexsim/kernel/hash_function.hpp"
#include "models/kernel/xxh64.hpp"

using namespace futexsim;

namespace {

constexpr std::uint64_t prime = 2654435761;

/// The buffer of xxHash's own sanity check.
std::vector<std::uint8_t> sanity_buffer(std::size_t length) {
  std::vector<std::uint8_t> out(length);
  std::uint64_t generator = prime;
  for (std::uint8_t& byte : out) {
    byte = static_cast<std::uint8_t>(generator >> 56);
    generator *= 11400714785074694797U;
  }
  return out;
}

}  // namespace

// Lengths 0, 1, 4 and 14: xxHash's published sanity vectors. 20 and 31: libxxhash 0.8.1.
TEST_CASE("xxh64 of short input has xxHash's values") {
  CHECK(xxh64(sanity_buffer(0), 0) == 0xef46'db37'51d8'e999);
  CHECK(xxh64(sanity_buffer(0), prime) == 0xac75'fda2'929b'17ef);
  CHECK(xxh64(sanity_buffer(1), 0) == 0xe934'a84a'db05'2768);
  CHECK(xxh64(sanity_buffer(1), prime) == 0x5014'6076'43a9'b4c3);
  CHECK(xxh64(sanity_buffer(4), 0) == 0x9136'a0dc'a574'57ee);
  CHECK(xxh64(sanity_buffer(14), 0) == 0x8282'dcc4'994e'35c8);
  CHECK(xxh64(sanity_buffer(14), prime) == 0xc3bd'6bf6'3deb'6df0);
  CHECK(xxh64(sanity_buffer(20), 0) == 0x5f8c'6835'5769'439e);
  CHECK(xxh64(sanity_buffer(20), prime) == 0x9721'8696'c2d2'9602);
  CHECK(xxh64(sanity_buffer(31), prime) == 0xda67'3d5f'eb5c'1d79);
}

TEST_CASE("xxhash is the low half of xxh64 of the 20 bytes of a key (libxxhash 0.8.1)") {
  const auto xxhash = HashChoice("xxhash").make();
  CHECK(xxhash->hash({0, 0, 0}, 16) == 0xe8f6'b241);
  CHECK(xxhash->hash({1, 2, 3}, 16) == 0xa22e'320d);
  CHECK(xxhash->hash({0xffff'8881'2345'6780, 0x7f12'3456'7000, 0xabc}, 16) == 0x409c'0204);
  CHECK(xxhash->hash({0xffff'8880'0000'0040, 0x5555'5556'0000, 4}, 16) == 0x3e48'2ab4);
}
