#pragma once

#include <span>
#include <vector>

#include "futexsim/hardware/machine.hpp"

namespace futexsim {

/// Where the lines of a table are homed.
struct LineHomes {
  std::vector<double> share;  ///< of the lines, by node
  double lines = 1;           ///< in the table
};

/// Who gets a line next: any other thread (few want it at a time), or first everybody below the L3
/// that it came to, and then one elsewhere (everybody waits for it; MemorySystem::start_next()).
enum class NextOwner { anybody, below_same_l3_first };

/// Mean latencies of a line's transfers between two different threads, in nanoseconds: what the
/// machine's own protocol says for each pair of L3 groups and each home, weighted by how often
/// threads follow each other and where lines are homed. SMT siblings share the line, at no cost.
struct MeanTransfers {
  double write = 0;    ///< of a line that another core has written
  double read = 0;     ///< the same, for a copy
  double upgrade = 0;  ///< from a copy that the former owner shares to ownership
};

/// `cpus`: of the threads, at least one. A lone thread transfers nothing.
MeanTransfers mean_transfers(const Machine& machine, std::span<const CpuId> cpus,
                             const LineHomes& homes, NextOwner next = NextOwner::anybody);

}  // namespace futexsim
