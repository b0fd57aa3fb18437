#include <doctest/doctest.h>

#include "models/kernel/key_bytes.hpp"

using namespace futexsim;

TEST_CASE("a key is hashed as it lies in memory: mm, page, offset, low byte first") {
  const FutexKey key{0x0807'0605'0403'0201, 0x100f'0e0d'0c0b'0a09, 0x1413'1211};
  const auto bytes = bytes_of(key);
  for (std::uint8_t i = 0; i < 20; ++i) CHECK(bytes[i] == i + 1);
}

TEST_CASE("the address of a futex is its page and the offset in it") {
  CHECK(uaddr({0xffff'8880'0000'0000, 0x5555'5556'1000, 0xabc}) == 0x5555'5556'1abc);
}

TEST_CASE("bytes are read low byte first") {
  const std::array<std::uint8_t, 3> bytes{0x01, 0x02, 0x83};
  CHECK(little_endian(bytes.data(), 3) == 0x83'0201);
  CHECK(little_endian(bytes.data(), 0) == 0);
}
