#pragma once

#include <cstdint>

namespace futexsim {

/// union futex_key of a process-private futex, as it has been since 2020: the mm's kernel address,
/// the page address of the futex word, and its offset in the page.
struct FutexKey {
  std::uint64_t mm = 0;
  std::uint64_t page = 0;
  std::uint32_t offset = 0;
};

}  // namespace futexsim
