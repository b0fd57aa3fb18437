#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "futexsim/engine/time.hpp"
#include "futexsim/hardware/ids.hpp"

namespace futexsim {

/// A machine's structure as `lscpu` and sysfs describe it.
struct TopologyDescription {
  /// One link of the interconnect. `one_way` is what a message pays to cross it.
  struct Link {
    NodeId from, to;
    Picoseconds one_way;
  };

  std::vector<std::vector<CpuId>> nodes;      ///< CPUs of each NUMA node
  std::vector<std::vector<CpuId>> l3_groups;  ///< CPUs below each L3
  std::vector<std::vector<CpuId>> cores;      ///< SMT siblings
  std::vector<Link> links;
  Picoseconds same_l3;   ///< line transfer between two cores below one L3
  Picoseconds other_l3;  ///< line transfer between two L3 groups of a node, line homed there
};

/// CPUs, cores, L3 groups and nodes as a graph (Boost.Graph) whose edges carry one-way latencies,
/// and the tables that the hot path reads, filled by shortest paths through it.
class Topology {
 public:
  /// Throws std::invalid_argument with a phrase for the user when the description contradicts
  /// itself: a CPU in two nodes, an L3 group across nodes, a node without a path to the others.
  explicit Topology(const TopologyDescription& description);

  std::uint32_t cpus() const { return static_cast<std::uint32_t>(cpus_.size()); }
  std::uint32_t cores() const { return static_cast<std::uint32_t>(core_l3_.size()); }
  std::uint32_t l3_groups() const { return static_cast<std::uint32_t>(l3_node_.size()); }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(node_cpus_.size()); }
  std::uint32_t threads_per_core() const { return threads_per_core_; }

  /// Online CPUs, ascending.
  std::span<const CpuId> online() const { return cpus_; }
  /// The node's CPUs, ascending.
  std::span<const CpuId> cpus_of(NodeId node) const { return node_cpus_[node.value]; }

  bool is_online(CpuId cpu) const;
  /// Invariant: the CPU is online.
  CoreId core_of(CpuId cpu) const { return cpu_core_[cpu.value]; }
  L3Id l3_of(CoreId core) const { return core_l3_[core.value]; }
  NodeId node_of(L3Id l3) const { return l3_node_[l3.value]; }
  NodeId node_of(CoreId core) const { return node_of(l3_of(core)); }
  NodeId node_of(CpuId cpu) const { return node_of(core_of(cpu)); }

  /// A line's way between two cores of different L3 groups, as if homed beside them: the shortest
  /// path there and back.
  Picoseconds round_trip(L3Id a, L3Id b) const {
    return l3_round_trip_[a.value * l3_node_.size() + b.value];
  }
  /// What a message pays from node to node, on the shortest path. Zero within a node.
  Picoseconds crossing(NodeId from, NodeId to) const {
    return node_crossing_[from.value * node_cpus_.size() + to.value];
  }
  /// From an L3 to the home agent of a node and back. Zero where the L3 is the home node's only
  /// one.
  Picoseconds home_round_trip(L3Id l3, NodeId home) const {
    return home_round_trip_[l3.value * node_cpus_.size() + home.value];
  }

 private:
  void index_cpus(const TopologyDescription& description);
  void measure_paths(const TopologyDescription& description);

  static constexpr CoreId no_core{~0U};

  std::uint32_t threads_per_core_ = 1;
  std::vector<CpuId> cpus_;
  std::vector<std::vector<CpuId>> node_cpus_;
  std::vector<CoreId> cpu_core_;  ///< by CPU number; no_core where there is no such CPU
  std::vector<L3Id> core_l3_;
  std::vector<NodeId> l3_node_;
  std::vector<Picoseconds> l3_round_trip_;
  std::vector<Picoseconds> node_crossing_;
  std::vector<Picoseconds> home_round_trip_;
};

}  // namespace futexsim
