#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string_view>

#include "futexsim/hardware/machine.hpp"
#include "futexsim/kernel/hash_table.hpp"
#include "futexsim/kernel/reference_count.hpp"
#include "futexsim/parts/registry.hpp"

namespace futexsim {

/// What a table is built on.
struct TableContext {
  Hardware& hardware;
  const BucketLayout& layout;
  NodeId main_node;  ///< where the process's main thread runs when it asks for a table
};

/// Which table a private futex hashes into, where that lies, and what an operation does to keep
/// it. Implementations register themselves in Registry<TablePolicy, const TableContext&>.
class TablePolicy {
 public:
  virtual ~TablePolicy() = default;
  virtual HashBucket& bucket(std::uint32_t hash) = 0;
  /// Buckets of the table, or of each of its per-node parts: a power of two.
  virtual std::uint32_t buckets() const = 0;
  unsigned bits() const { return static_cast<unsigned>(std::countr_zero(buckets())); }
  /// Is the table the process's own?
  virtual bool is_private() const = 0;
  /// Null where operations hold no reference.
  virtual ReferenceCount* references() { return nullptr; }
};

using PolicyChoice = Choice<TablePolicy, const TableContext&>;

}  // namespace futexsim
