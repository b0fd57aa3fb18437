#pragma once

#include <cstdint>
#include <functional>

#include "futexsim/hardware/ids.hpp"

namespace futexsim {

/// Homes of the pages that vmalloc_huge() gives at boot, when the memory policy still interleaves
/// (alloc_large_system_hash() with hashdist): 2 MiB pages where each node's share reaches that
/// size, else pages of 4 KiB, dealt to the nodes in turn.
inline std::function<NodeId(std::uint64_t)> interleaved_by_vmalloc(std::uint64_t bytes,
                                                                   std::uint32_t nodes) {
  constexpr std::uint64_t small_page = 4096;
  constexpr std::uint64_t huge_page = 2U << 20;
  const std::uint64_t page = bytes / nodes >= huge_page ? huge_page : small_page;
  return [page, nodes](std::uint64_t offset) {
    return NodeId{static_cast<std::uint32_t>(offset / page % nodes)};
  };
}

}  // namespace futexsim
