#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "futexsim/kernel/thread.hpp"
#include "futexsim/parts/declaration.hpp"

namespace futexsim {

/// struct futex_hash_bucket in bytes: where its fields lie decides which of them share a line.
struct BucketLayout {
  std::uint32_t bytes = 64;  ///< without alignment
  bool cacheline_aligned = true;
  std::optional<std::uint32_t> waiters_offset;  ///< absent: there is no such field
  std::uint32_t lock_offset = 0;
  std::optional<std::uint32_t> priv_offset;
  std::optional<std::uint32_t> chain_offset;  ///< absent: on the lock's line

  static const Declaration<BucketLayout>& declaration();
};

struct FutexQ;

/// The fields of struct futex_hash_bucket that an operation touches.
struct HashBucket {
  Word waiters;
  Word lock;
  Word priv;                       ///< points to the table; written once, when that is set up
  const Thread* holder = nullptr;  ///< of the lock; only for the invariant of mutual exclusion
  Word chain;                      ///< the list's head; only its line matters
  FutexQ* first = nullptr;         ///< of the chain: waiters, in the order in which they queued
  FutexQ* last = nullptr;
};

/// An array of buckets in simulated memory.
class HashTable {
 public:
  /// `home_of(offset)`: the node of the page that holds the byte at `offset` of the array.
  HashTable(MemorySystem& memory, std::uint32_t buckets, const BucketLayout& layout,
            const std::function<NodeId(std::uint64_t offset)>& home_of);

  std::uint32_t size() const { return static_cast<std::uint32_t>(buckets_.size()); }
  /// The bucket that the low bits of a hash choose. The kernel masks; its sizes are powers of two.
  HashBucket& at_hash(std::uint32_t hash) { return buckets_[hash & (size() - 1)]; }

 private:
  std::vector<HashBucket> buckets_;
};

/// Bytes from one bucket to the next on a machine with such lines.
std::uint32_t bucket_stride(const BucketLayout& layout, std::uint32_t line_bytes);

}  // namespace futexsim
