#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "futexsim/hardware/machine.hpp"
#include "futexsim/kernel/futex_key.hpp"
#include "futexsim/kernel/hash_table.hpp"
#include "futexsim/kernel/reference_count.hpp"
#include "futexsim/parts/registry.hpp"

namespace futexsim {

/// What a table is built on.
struct TableContext {
  Hardware& hardware;
  const BucketLayout& layout;
  NodeId node;                       ///< where the thread runs that asks for the table
  Picoseconds grace_period = {};     ///< of RCU
  std::uint32_t static_buckets = 0;  ///< a global table of so many or fewer is a static array
};

/// A table at work: what futex_hash() finds for a key.
class FutexTable {
 public:
  virtual ~FutexTable() = default;
  /// The bucket of a hash whose low `hash_bits()` bits choose it, or with those above them.
  virtual HashBucket& bucket(std::uint32_t hash) = 0;
  virtual unsigned hash_bits() const = 0;
  /// The same for a futex that names its node (FUTEX2_NUMA), where tables have a part for each.
  virtual HashBucket& bucket_on(NodeId, std::uint32_t hash) { return bucket(hash); }
  /// Null where operations hold no reference.
  virtual ReferenceCount* references() { return nullptr; }
  /// What takes its place once ReferenceCount::get() has failed.
  virtual std::unique_ptr<FutexTable> replacement() { return nullptr; }
};

/// Which table a futex hashes into, where that lies, and what an operation does to keep it. What a
/// config chooses; immutable. Implementations register themselves in Registry<TablePolicy>.
class TablePolicy {
 public:
  virtual ~TablePolicy() = default;
  /// Does each process have a table of its own? Process-shared futexes go to the global one even
  /// then.
  virtual bool is_private() const = 0;
  /// Is its table the one that PR_FUTEX_HASH gives with FH_FLAG_IMMUTABLE?
  virtual bool is_immutable() const { return false; }
  /// Of the table, or of each of its per-node parts; absent: as many as the kernel's rule gives.
  virtual std::optional<std::uint32_t> buckets() const = 0;
  /// Is the table replaced while threads run?
  virtual bool resizes() const { return false; }
  /// InputError, at `at`, for what the machine hasn't got.
  virtual void check(const Cursor& at, const Topology& topology) const = 0;
  /// Requires a number of buckets.
  virtual std::unique_ptr<FutexTable> build(const TableContext& context) const = 0;
};

using PolicyChoice = Choice<TablePolicy>;

}  // namespace futexsim
