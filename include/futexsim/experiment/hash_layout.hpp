#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "futexsim/kernel/futex_key.hpp"

namespace futexsim {

/// Which futexes a hash function is to spread. One of three kinds: `keys`; `stride` with `count`
/// and `base`; or the arrays of `perf bench futex hash`, the default.
struct HashLayoutOptions {
  std::optional<std::int64_t> threads = {};  ///< default 128
  std::optional<std::int64_t> futexes = {};  ///< of each thread; default 1024
  std::optional<std::int64_t> stride = {};   ///< bytes from futex to futex
  std::optional<std::int64_t> count = {};
  std::optional<std::string> base = {};  ///< of the first, hexadecimal; default 0
  std::optional<std::string> keys = {};  ///< a file of hexadecimal addresses, one a line
  std::uint64_t seed = 1;
};

/// Private futexes of one process.
struct HashLayout {
  std::string description;  ///< "128 threads of 1024 futexes each, where glibc's malloc puts them"
  std::vector<FutexKey> keys;

  static constexpr std::int64_t most_futexes = 1 << 22;

  /// InputError when the options contradict each other, an address isn't that of a futex (a
  /// multiple of 4 in user space), or there are more than `most_futexes`. With equal seeds, perf's
  /// arrays lie where the first replication of a simulation has them.
  static HashLayout read(const HashLayoutOptions& options);
};

}  // namespace futexsim
