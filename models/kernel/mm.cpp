#include "futexsim/kernel/mm.hpp"

namespace futexsim {
namespace {

// Documentation/arch/x86/x86_64/mm.rst: the direct map, which KASLR moves by whole GiB.
constexpr std::uint64_t direct_map = 0xffff'8880'0000'0000;
constexpr std::uint64_t gibibyte = 1U << 30;
constexpr std::uint64_t mm_alignment = 64;  // the mm_struct cache is SLAB_HWCACHE_ALIGN

// A position-independent executable and the heap behind it, with 28 bits of randomness in pages.
constexpr std::uint64_t executable = 0x5555'5555'4000;

}  // namespace

Mm::Mm(std::uint32_t number, NodeId main_node, RandomStream& random)
    : number_(number), main_node_(main_node) {
  const std::uint64_t base = direct_map + random.below(1 << 14) * gibibyte;
  address_of_mm_ =
      base + random.below((std::uint64_t{64} * gibibyte) / mm_alignment) * mm_alignment;
  heap_start_ = executable + random.below(1 << 28) * page_bytes;
}

}  // namespace futexsim
