#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "futexsim/kernel/mempolicy.hpp"

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

/// Homes of what kvmalloc() gives a thread on node `local` under a memory policy: up to 4 MiB (the
/// page allocator's largest order) pages are contiguous and so lie on one node, which is the next
/// in turn, here the first, if the policy interleaves; above, vmalloc() takes page by page.
inline std::function<NodeId(std::uint64_t)> placed_by_kvmalloc(std::uint64_t bytes,
                                                               std::string_view mempolicy,
                                                               NodeId local, std::uint32_t nodes) {
  constexpr std::uint64_t largest_order = 4U << 20;
  if (mempolicy == "interleave" && bytes > largest_order) {
    return interleaved_by_vmalloc(bytes, nodes);
  }
  const NodeId node = mempolicy == "interleave" ? NodeId{0} : bound_node(mempolicy).value_or(local);
  return [node](std::uint64_t) { return node; };
}

}  // namespace futexsim
