#include "futexsim/hardware/directory_cache.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace futexsim {

DirectoryCache::DirectoryCache(std::uint32_t lines, std::uint32_t ways)
    : sets_(lines / ways), ways_(ways), entries_(lines, empty), oldest_(sets_, 0) {
  assert(lines % ways == 0);
}

bool DirectoryCache::touch(std::uint32_t line) {
  if (sets_ == 0) return false;
  const std::uint32_t set = line % sets_;
  std::uint32_t* const ways = &entries_[std::size_t{set} * ways_];
  if (std::find(ways, ways + ways_, line) != ways + ways_) return true;
  ways[std::exchange(oldest_[set], (oldest_[set] + 1) % ways_)] = line;
  return false;
}

}  // namespace futexsim
