#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "futexsim/hardware/topology.hpp"
#include "futexsim/kernel/sizing.hpp"
#include "futexsim/parts/registry.hpp"

namespace futexsim {

/// What a process's table depends on beside the process itself.
struct HashControlContext {
  const Topology& topology;
  const SizingRule& automatic;  ///< of tables that nobody asked for
};

/// Which table a process has, as its system calls decide: the bookkeeping of prctl(PR_FUTEX_HASH)
/// and its relatives, without the time that they take. One object a process, at rest when it has
/// one thread and hasn't used a futex.
///
/// Calls return what the system call returns, or a negative errno, as within the kernel.
/// Implementations register themselves in Registry<HashControl, const HashControlContext&>.
class HashControl {
 public:
  virtual ~HashControl() = default;

  static constexpr std::uint64_t set_slots = 1;       ///< PR_FUTEX_HASH_SET_SLOTS
  static constexpr std::uint64_t flag_immutable = 1;  ///< FH_FLAG_IMMUTABLE

  virtual int prctl(int option, std::uint64_t operation, std::uint64_t arg3, std::uint64_t arg4);
  /// FUTEX_PREALLOC_HASH, operation 13 of futex(): the number of slots, or 0 for the global table.
  virtual int futex_prealloc_hash(std::uint32_t slots);
  virtual int sysctl(const std::string& name, std::uint32_t value);
  /// A futex operation on a private futex: the table in use has been used.
  virtual void futex_operation();
  /// One more thread. Fails as clone() does when it can't have its table.
  virtual int clone();

  /// The option of prctl() by whose PR_FUTEX_HASH_SET_SLOTS perf's -b asks for a table; none where
  /// there is no such operation.
  virtual std::optional<int> option_of_perf() const { return std::nullopt; }
  /// Of the table in use; 0: the global one.
  virtual std::uint32_t slots() const { return 0; }

  std::uint32_t threads() const { return threads_; }
  std::uint32_t tables_allocated() const { return allocated_; }
  std::uint32_t tables_used() const { return used_; }

 protected:
  void count_allocation() {
    ++allocated_;
    table_used_ = false;
  }
  void count_use() {
    if (!table_used_) ++used_;
    table_used_ = true;
  }

  std::uint32_t threads_ = 1;

 private:
  std::uint32_t allocated_ = 0;
  std::uint32_t used_ = 0;
  bool table_used_ = false;
};

using HashControlChoice = Choice<HashControl, const HashControlContext&>;

}  // namespace futexsim
