#include "futexsim/kernel/hash_table.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "../parts/message_of.hpp"
#include "../support/lab.hpp"

using namespace futexsim;

namespace {

HashTable table(Lab& lab, std::uint32_t buckets, const BucketLayout& layout) {
  return {lab.memory(), buckets, layout, [](std::uint64_t) { return NodeId{0}; }};
}

/// Locks on each line, in the order of lines.
std::vector<std::uint32_t> locks_by_line(HashTable& table) {
  std::map<std::uint32_t, std::uint32_t> locks;
  for (std::uint32_t i = 0; i < table.size(); ++i) ++locks[table.at_hash(i).lock.line->number];
  std::vector<std::uint32_t> out;
  for (const auto& [line, count] : locks) out.push_back(count);
  return out;
}

constexpr BucketLayout layout(std::uint32_t bytes, std::uint32_t lock_offset, bool aligned = true) {
  BucketLayout out;
  out.bytes = bytes;
  out.cacheline_aligned = aligned;
  out.lock_offset = lock_offset;
  return out;
}

/// struct futex_hash_bucket of v3.12: spinlock_t and a plist_head, 24 bytes, not aligned.
constexpr BucketLayout before_2014 = layout(24, 0, false);

/// That of v6.17.
BucketLayout with_all_fields() {
  BucketLayout out = layout(64, 4);
  out.waiters_offset = 0;
  out.priv_offset = 24;
  return out;
}

std::string refusal(const nlohmann::json& layout) {
  return message_of(
      [&] { BucketLayout::declaration().read(Document("bucket.json", layout).cursor()); });
}

}  // namespace

TEST_CASE("a bucket of 64 aligned bytes has a line of its own, and all its fields on it") {
  Lab lab(TestMachine{}, 1);
  HashTable buckets = table(lab, 256, with_all_fields());
  std::set<const CacheLine*> lines;
  for (std::uint32_t i = 0; i < 256; ++i) {
    const HashBucket& bucket = buckets.at_hash(i);
    CHECK(bucket.waiters.line == bucket.lock.line);
    CHECK(bucket.priv.line == bucket.lock.line);
    lines.insert(bucket.lock.line);
  }
  CHECK(lines.size() == 256);
}

TEST_CASE("packed buckets of 24 bytes put 3, 3 and 2 locks on three lines") {
  Lab lab(TestMachine{}, 1);
  HashTable buckets = table(lab, 16, before_2014);
  CHECK(locks_by_line(buckets) == std::vector<std::uint32_t>{3, 3, 2, 3, 3, 2});
  CHECK(buckets.at_hash(2).lock.line ==
        buckets.at_hash(0).lock.line);  // bytes 48 to 71: begins on line 0
  CHECK(buckets.at_hash(3).lock.line != buckets.at_hash(0).lock.line);
}

TEST_CASE("a bucket that straddles two lines has its fields where their bytes are") {
  // Bucket 2 begins at byte 48: its lock is on line 0, what lies 16 bytes later on line 1.
  Lab lab(TestMachine{}, 1);
  BucketLayout layout = before_2014;
  layout.waiters_offset = 16;
  HashTable buckets = table(lab, 8, layout);
  CHECK(buckets.at_hash(2).lock.line == buckets.at_hash(0).lock.line);
  CHECK(buckets.at_hash(2).waiters.line == buckets.at_hash(3).lock.line);
}

TEST_CASE("on lines of 128 bytes an aligned bucket still has a line of its own") {
  Lab lab(TestMachine{}.line_bytes(128), 1);
  HashTable buckets = table(lab, 16, BucketLayout{});
  CHECK(bucket_stride(BucketLayout{}, 128) == 128);
  CHECK(locks_by_line(buckets) == std::vector<std::uint32_t>(16, 1));
}

TEST_CASE("on lines of 128 bytes packed buckets of 64 share in pairs") {
  Lab lab(TestMachine{}.line_bytes(128), 1);
  HashTable buckets = table(lab, 16, layout(64, 4, false));
  CHECK(locks_by_line(buckets) == std::vector<std::uint32_t>(8, 2));
}

TEST_CASE("a bucket of 65 to 128 bytes has two lines; the fields say which") {
  Lab lab(TestMachine{}, 1);
  HashTable buckets = table(lab, 4, [] {
    BucketLayout two_lines = layout(72, 68);
    two_lines.waiters_offset = 0;
    return two_lines;
  }());
  CHECK(bucket_stride(layout(72, 68), 64) == 128);
  CHECK(buckets.at_hash(0).waiters.line != buckets.at_hash(0).lock.line);
  CHECK(buckets.at_hash(1).waiters.line != buckets.at_hash(0).lock.line);
}

TEST_CASE("the low bits of a hash choose the bucket") {
  Lab lab(TestMachine{}, 1);
  HashTable buckets = table(lab, 16, BucketLayout{});
  CHECK(&buckets.at_hash(0xabcd'ef05) == &buckets.at_hash(5));
  CHECK(&buckets.at_hash(0xffff'ffff) == &buckets.at_hash(15));
}

TEST_CASE("a page's home is asked for by the offset of each line") {
  Lab lab(TestMachine{}.nodes(2), 1);
  HashTable buckets(lab.memory(), 128, BucketLayout{}, [](std::uint64_t offset) {
    return NodeId{static_cast<std::uint32_t>(offset / 4096)};
  });
  CHECK(buckets.at_hash(63).lock.line->home == NodeId{0});
  CHECK(buckets.at_hash(64).lock.line->home == NodeId{1});
}

TEST_CASE("a field outside its bucket is refused, at the field") {
  CHECK(refusal({{"bytes", 64}, {"lock_offset", 60}}) == "no error");
  CHECK(refusal({{"bytes", 64}, {"lock_offset", 64}}).find("/lock_offset") != std::string::npos);
  CHECK(refusal({{"lock_offset", 4}, {"waiters_offset", 61}}).find("/waiters_offset") !=
        std::string::npos);
  CHECK(refusal({{"bytes", 64}, {"lock_offset", 6}}).find("/lock_offset") != std::string::npos);
  CHECK(refusal({{"bytes", 24}, {"lock_offset", 0}, {"priv_offset", 24}}).find("/priv_offset") !=
        std::string::npos);
  CHECK(refusal({{"bytes", 24}, {"lock_offset", 0}}) == "no error");
}

TEST_CASE("a field that a bucket hasn't got has no line") {
  Lab lab(TestMachine{}, 1);
  HashTable buckets = table(lab, 1, before_2014);
  CHECK(buckets.at_hash(0).waiters.line == nullptr);
  CHECK(buckets.at_hash(0).priv.line == nullptr);
}
