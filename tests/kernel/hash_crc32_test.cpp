#include <doctest/doctest.h>

#include <boost/crc.hpp>
#include <string_view>

#include "futexsim/engine/random.hpp"
#include "futexsim/kernel/hash_function.hpp"
#include "models/kernel/crc32.hpp"
#include "models/kernel/key_bytes.hpp"

using namespace futexsim;

namespace {

constexpr std::array<std::uint8_t, 9> digits{'1', '2', '3', '4', '5', '6', '7', '8', '9'};

template <std::uint32_t polynomial>
std::uint32_t boost_crc(const FutexKey& key) {
  boost::crc_optimal<32, polynomial, 0xffffffff, 0xffffffff, true, true> crc;
  const auto bytes = bytes_of(key);
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace

TEST_CASE("both CRCs have their published check values of \"123456789\"") {
  CHECK(Crc32Ieee::of(digits) == 0xcbf43926);
  CHECK(Crc32Castagnoli::of(digits) == 0xe3069283);
}

TEST_CASE("crc32 and crc32c of 1000 random keys are Boost.CRC's of their 20 bytes") {
  const auto crc32 = HashChoice("crc32").make();
  const auto crc32c = HashChoice("crc32c").make();
  RandomStream random(1, "keys");
  for (int i = 0; i < 1000; ++i) {
    FutexKey key;
    key.mm = random.next();
    key.page = random.next();
    key.offset = static_cast<std::uint32_t>(random.next());
    CHECK(crc32->hash(key, 16) == boost_crc<0x04c11db7>(key));
    CHECK(crc32c->hash(key, 16) == boost_crc<0x1edc6f41>(key));
  }
}
