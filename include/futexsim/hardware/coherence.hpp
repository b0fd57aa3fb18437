#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "futexsim/engine/time.hpp"
#include "futexsim/hardware/cache_line.hpp"
#include "futexsim/hardware/topology.hpp"

namespace futexsim {

/// How far a line travels. The order is that of the report.
enum class Distance : std::uint8_t {
  same_core,         ///< to the SMT sibling
  same_l3,           ///< between cores below one L3
  same_node,         ///< between L3 groups of a node, home local
  remote_home,       ///< between L3 groups of a node, home on another node
  other_node,        ///< between nodes, home with one of them
  third_party_home,  ///< between nodes, home on a third
  memory,            ///< from the home's memory
};
inline constexpr std::size_t distances = 7;
std::string_view name_of(Distance distance);

struct Transfer {
  Picoseconds latency;  ///< from the moment at which it is the request's turn
  Distance distance = Distance::same_core;
};

/// What a request to a line costs and who answers afterwards: MESIF, MOESI and their like.
/// Implementations register themselves in Registry<CoherenceProtocol, const Topology&>.
class CoherenceProtocol {
 public:
  virtual ~CoherenceProtocol() = default;

  /// The transfer that serves `request` in the line's present state, from `now` on.
  /// Invariant: the requester's core cannot serve itself.
  virtual Transfer transfer(const LineRequest& request, Picoseconds now) = 0;

  /// After a read by `reader`, who answers the next request?
  virtual CoreId responder_after_read(const CacheLine& line, CoreId reader) const = 0;

  /// How soon after a read of a line the next one is answered; none: once the first has its data.
  virtual std::optional<Picoseconds> read_interval() const { return std::nullopt; }

  /// The line has moved about before the simulation began: warms what remembers that.
  virtual void placed(const CacheLine&) {}
};

}  // namespace futexsim
