#pragma once

#include <bit>

#include "futexsim/hardware/coherence.hpp"

namespace futexsim {

/// What coherence protocols share: who sits where, and the ways that messages take.
class ProtocolPaths {
 public:
  explicit ProtocolPaths(const Topology& topology) : topology_(topology) {}

  /// Requester, holder and back, with nobody else involved.
  Transfer direct(CoreId requester, CoreId holder) const;

  /// Requester, home, holder and back to the requester.
  Transfer through_home(CoreId requester, CoreId holder, NodeId home) const;

  /// From the home's memory, which takes `access` once it is reached.
  Transfer from_memory(CoreId requester, NodeId home, Picoseconds access) const;

  const Topology& topology() const { return topology_; }

 private:
  const Topology& topology_;
};

/// Calls `visit(CoreId)` for each core in a line's sharer set.
template <class Visit>
void for_each_sharer(const CacheLine& line, std::uint32_t cores, Visit visit) {
  for (std::uint32_t word = 0; word * 64 < cores; ++word) {
    for (std::uint64_t bits = line.sharers[word]; bits != 0; bits &= bits - 1) {
      visit(CoreId{word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits))});
    }
  }
}

/// Who must answer a request, and how long that takes by the protocol's own `way(CoreId holder)`.
/// A write waits for the farthest copy that it invalidates; a writer who has a copy already needs
/// no data, only their answers, at `upgrade_per_mille` of a transfer.
template <class Way>
Transfer serve(const LineRequest& request, const ProtocolPaths& paths, Picoseconds memory_access,
               std::int64_t upgrade_per_mille, Way way) {
  const CacheLine& line = *request.line;
  if (line.state == CacheLine::State::uncached) {
    return paths.from_memory(request.core, line.home, memory_access);
  }
  if (line.state == CacheLine::State::exclusive) return way(line.responder);

  const Topology& topology = paths.topology();
  bool upgrade = false;
  bool copy_below_own_l3 = false;
  Transfer farthest;
  for_each_sharer(line, topology.cores(), [&](CoreId holder) {
    if (holder == request.core) {
      upgrade = true;
    } else if (request.access == Access::write) {
      const Transfer transfer = way(holder);
      if (transfer.latency > farthest.latency) farthest = transfer;
    }
    if (topology.l3_of(holder) == topology.l3_of(request.core)) copy_below_own_l3 = true;
  });
  if (request.access == Access::write) {
    if (upgrade) farthest.latency.count = farthest.latency.count * upgrade_per_mille / 1000;
    return farthest;
  }
  return copy_below_own_l3 ? paths.direct(request.core, request.core) : way(line.responder);
}

}  // namespace futexsim
