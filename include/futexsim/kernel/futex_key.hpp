#pragma once

#include <cstdint>

namespace futexsim {

/// union futex_key of a futex in anonymous memory, as it has been since 2020: the mm's kernel
/// address, the page address of the futex word, and its offset in the page, whose low bits (a
/// futex word is aligned to 4) say what kind of key it is.
struct FutexKey {
  static constexpr std::uint32_t mm_shared = 2;  ///< FUT_OFF_MMSHARED
  static constexpr std::uint32_t no_node = ~0U;  ///< FUTEX_NO_NODE

  std::uint64_t mm = 0;
  std::uint64_t page = 0;
  std::uint32_t offset = 0;
  std::uint32_t node = no_node;  ///< of a futex that names its node (FUTEX2_NUMA); isn't hashed

  bool operator==(const FutexKey&) const = default;
  bool is_shared() const { return (offset & mm_shared) != 0; }
  bool names_node() const { return node != no_node; }
};

}  // namespace futexsim
