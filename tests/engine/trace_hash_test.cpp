#include "futexsim/engine/trace_hash.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

using namespace futexsim;

namespace {

std::uint64_t hash_of(std::span<const std::uint64_t> values) {
  TraceHash hash;
  for (const std::uint64_t value : values) hash.add(value);
  return hash.value();
}

std::uint64_t hash_of(std::initializer_list<std::uint64_t> values) {
  return hash_of(std::span(values.begin(), values.size()));
}

}  // namespace

TEST_CASE("equal traces have equal hashes") {
  CHECK(hash_of({1, 2, 3}) == hash_of({1, 2, 3}));
  CHECK(TraceHash() == TraceHash());
}

TEST_CASE("the hash of a trace is the same on every compiler (vector computed in Python)") {
  CHECK(to_hex(hash_of({})) == "7acdbb98b1344213");
  CHECK(to_hex(hash_of({1, 2, 3})) == "9a0433c7f20b075b");
}

TEST_CASE("an added zero, a lost event and a moved boundary are seen") {
  CHECK(hash_of({}) != hash_of({0}));
  CHECK(hash_of({0}) != hash_of({0, 0}));
  CHECK(hash_of({1, 2}) != hash_of({1, 2, 3}));
  CHECK(hash_of({12, 3}) != hash_of({1, 23}));
}

TEST_CASE("any two swapped events of a trace give another hash, however far apart") {
  std::vector<std::uint64_t> trace;
  for (std::uint64_t i = 0; i < 200; ++i) trace.push_back(i * 1000);
  std::set<std::uint64_t> hashes{hash_of(trace)};
  std::size_t traces = 1;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    for (std::size_t j = i + 1; j < trace.size(); ++j, ++traces) {
      std::swap(trace[i], trace[j]);
      hashes.insert(hash_of(trace));
      std::swap(trace[i], trace[j]);
    }
  }
  CHECK(hashes.size() == traces);
}

TEST_CASE("no pair of bits flipped in neighbouring events cancels") {
  std::set<std::uint64_t> hashes;
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 64; ++j) {
      hashes.insert(hash_of({std::uint64_t{1} << i, std::uint64_t{1} << j}));
    }
  }
  CHECK(hashes.size() == 64 * 64);
}

TEST_CASE("one flipped bit flips about half of the hash") {
  // Mean of 64 words of 64 fair bits: 32 with a standard deviation of 0.5.
  int flipped = 0;
  for (int bit = 0; bit < 64; ++bit) {
    flipped += std::popcount(hash_of({5, 6}) ^ hash_of({5, 6 ^ (std::uint64_t{1} << bit)}));
  }
  CHECK(flipped > 64 * 29);
  CHECK(flipped < 64 * 35);
}

TEST_CASE("hexadecimal has 16 lower-case digits") {
  CHECK(to_hex(0) == "0000000000000000");
  CHECK(to_hex(0x0123456789abcdef) == "0123456789abcdef");
  CHECK(to_hex(std::numeric_limits<std::uint64_t>::max()) == "ffffffffffffffff");
}
