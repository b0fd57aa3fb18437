#include <doctest/doctest.h>

#include <vector>

#include "futexsim/kernel/hash_function.hpp"
#include "models/kernel/siphash.hpp"

using namespace futexsim;

namespace {

constexpr std::array<std::uint64_t, 2> counting_key{0x0706'0504'0302'0100, 0x0f0e'0d0c'0b0a'0908};

/// Bytes 0, 1, 2, ...
std::vector<std::uint8_t> counting(std::size_t length) {
  std::vector<std::uint8_t> out(length);
  for (std::size_t i = 0; i < length; ++i) out[i] = static_cast<std::uint8_t>(i);
  return out;
}

}  // namespace

// Length 15: appendix A of the paper. The others: vectors_sip64 of the reference implementation,
// key 00 .. 0f, message 00 01 02 ..., and OpenSSL 3.0's SIPHASH for length 20.
TEST_CASE("SipHash-2-4 has its published values") {
  CHECK(siphash<2, 4>(counting(0), counting_key) == 0x726f'db47'dd0e'0e31);
  CHECK(siphash<2, 4>(counting(1), counting_key) == 0x74f8'39c5'93dc'67fd);
  CHECK(siphash<2, 4>(counting(8), counting_key) == 0x93f5'f579'9a93'2462);
  CHECK(siphash<2, 4>(counting(15), counting_key) == 0xa129'ca61'49be'45e5);
  CHECK(siphash<2, 4>(counting(20), counting_key) == 0xbed6'5cf2'1aa2'ee98);
}

// CPython 3.11 hashes bytes by SipHash-1-3, with a key of zeros under PYTHONHASHSEED=0; OpenSSL
// 3.0's SIPHASH with c-rounds 1 and d-rounds 3 says the same.
TEST_CASE("SipHash-1-3 has CPython's and OpenSSL's values") {
  constexpr std::array<std::uint64_t, 2> zeros{0, 0};
  CHECK(siphash<1, 3>(counting(1), zeros) == 0x68a9'1412'8e01'e473);
  CHECK(siphash<1, 3>(counting(8), zeros) == 0xead4'11e6'7ebe'2eea);
  CHECK(siphash<1, 3>(counting(15), zeros) == 0xf30e'b725'bb91'c9ea);
  CHECK(siphash<1, 3>(counting(20), zeros) == 0x639e'355a'e68c'0100);
  CHECK(siphash<1, 3>(counting(20), counting_key) == 0xc0dc'2f46'a6cc'e040);
}

TEST_CASE("siphash and hsiphash are the low halves for the 20 bytes of a key (OpenSSL 3.0)") {
  const auto siphash = HashChoice("siphash").make();
  const auto hsiphash = HashChoice("hsiphash").make();
  const FutexKey key{0xffff'8881'2345'6780, 0x7f12'3456'7000, 0xabc};
  CHECK(siphash->hash(key, 16) == 0xe6a3'004b);
  CHECK(hsiphash->hash(key, 16) == 0xc113'e215);
  CHECK(siphash->hash({0, 0, 0}, 16) == 0x0e32'bcd2);
  CHECK(hsiphash->hash({0, 0, 0}, 16) == 0x87b3'f834);
}
