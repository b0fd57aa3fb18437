#pragma once

#include <cstdint>
#include <vector>

namespace futexsim {

/// A home agent's directory cache: set-associative, first in first out, indexed by line number.
/// Haswell-EP's HitME holds the lines that moved between nodes; a miss costs a look into the
/// directory bits in memory.
class DirectoryCache {
 public:
  /// `lines` must be a multiple of `ways`; no lines: everything misses.
  DirectoryCache(std::uint32_t lines, std::uint32_t ways);

  /// Does it know the line? Afterwards it does.
  bool touch(std::uint32_t line);

 private:
  static constexpr std::uint32_t empty = ~0U;

  std::uint32_t sets_;
  std::uint32_t ways_;
  std::vector<std::uint32_t> entries_;
  std::vector<std::uint32_t> oldest_;
};

}  // namespace futexsim
