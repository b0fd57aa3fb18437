#pragma once

#include <cstdint>
#include <memory>
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
  NodeId node;  ///< where the thread runs that asks for the table
};

/// A table at work: what futex_hash() finds for a key.
class FutexTable {
 public:
  virtual ~FutexTable() = default;
  /// The bucket of a hash whose low `hash_bits()` bits choose it, or with those above them.
  virtual HashBucket& bucket(std::uint32_t hash) = 0;
  virtual unsigned hash_bits() const = 0;
  /// Null where operations hold no reference.
  virtual ReferenceCount* references() { return nullptr; }
};

/// Which table a futex hashes into, where that lies, and what an operation does to keep it. What a
/// config chooses; immutable. Implementations register themselves in Registry<TablePolicy>.
class TablePolicy {
 public:
  virtual ~TablePolicy() = default;
  /// Does each process have a table of its own? Process-shared futexes go to the global one even
  /// then.
  virtual bool is_private() const = 0;
  /// Of the table, or of each of its per-node parts.
  virtual std::uint32_t buckets() const = 0;
  virtual std::unique_ptr<FutexTable> build(const TableContext& context) const = 0;
};

using PolicyChoice = Choice<TablePolicy>;

}  // namespace futexsim
