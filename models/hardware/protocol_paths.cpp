#include "protocol_paths.hpp"

namespace futexsim {

Transfer ProtocolPaths::direct(CoreId requester, CoreId holder) const {
  const L3Id from = topology_.l3_of(requester);
  const L3Id to = topology_.l3_of(holder);
  Distance distance = Distance::other_node;
  if (from == to) {
    distance = Distance::same_l3;
  } else if (topology_.node_of(from) == topology_.node_of(to)) {
    distance = Distance::same_node;
  }
  return {topology_.round_trip(from, to), distance};
}

Transfer ProtocolPaths::through_home(CoreId requester, CoreId holder, NodeId home) const {
  const NodeId from = topology_.node_of(requester);
  const NodeId to = topology_.node_of(holder);
  Transfer transfer = direct(requester, holder);
  // The request goes to the home and on to the holder instead of straight there.
  const Picoseconds detour =
      topology_.crossing(from, home) + topology_.crossing(home, to) - topology_.crossing(from, to);
  if (home != from && home != to) {
    transfer.distance = from == to ? Distance::remote_home : Distance::third_party_home;
  }
  transfer.latency += detour;
  return transfer;
}

Transfer ProtocolPaths::from_memory(CoreId requester, NodeId home, Picoseconds access) const {
  return {access + topology_.crossing(topology_.node_of(requester), home) * 2, Distance::memory};
}

}  // namespace futexsim
