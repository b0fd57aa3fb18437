#pragma once

#include "futexsim/engine/task.hpp"
#include "futexsim/hardware/cpu.hpp"

namespace futexsim {

/// The reference that a futex operation holds on a private hash table, so that a resize knows when
/// nobody uses the old one.
class ReferenceCount {
 public:
  virtual ~ReferenceCount() = default;
  /// Reads the table's hash_mask, before the bucket is known.
  virtual Task<> read_mask(Cpu& cpu) = 0;
  /// False when the table is dead: its replacement has to take its place before the next attempt.
  virtual Task<bool> get(Cpu& cpu) = 0;
  virtual Task<> put(Cpu& cpu) = 0;
};

}  // namespace futexsim
