#include "futexsim/workload/futex_arrays.hpp"

#include <array>

namespace futexsim {
namespace {

// glibc's malloc, main arena: chunks of 16-byte granules with a header of 8, and calloc'ed arrays
// of 128 KiB and more from mmap, a page and 16 bytes of header each.
constexpr std::uint64_t malloc_granule = 16;
constexpr std::uint64_t malloc_header = 8;
constexpr std::uint64_t mmap_threshold = 128 << 10;
constexpr std::uint64_t mmap_header = 16;

// What pthread_create() allocates between two arrays, as addresses in published output show: at
// first from leftovers, so that it is missing or larger, then the same for each thread.
constexpr std::array<std::uint64_t, 2> first_create_bytes{0, 0x210};
constexpr std::uint64_t create_bytes = 0x180;
constexpr std::uint32_t unsettled_creates = 2;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

FutexArrays::FutexArrays(const Mm& mm, std::uint32_t threads, std::uint32_t futexes_per_thread,
                         RandomStream& random) {
  const std::uint64_t bytes = std::uint64_t{word_bytes} * futexes_per_thread;
  std::uint64_t top = mm.heap_start() + random.below(page_bytes) * malloc_granule;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    first_.push_back(bytes < mmap_threshold ? top : round_up(top, page_bytes) + mmap_header);
    top = bytes < mmap_threshold ? top + round_up(bytes + malloc_header, malloc_granule)
                                 : first_.back() + bytes;
    top += thread < unsettled_creates ? first_create_bytes[random.below(first_create_bytes.size())]
                                      : create_bytes;
  }
}

}  // namespace futexsim
