#include "futexsim/hardware/topology.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <limits>
#include <stdexcept>

#include "futexsim/hardware/cpu_list.hpp"

namespace futexsim {
namespace {

using Graph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                          boost::property<boost::edge_weight_t, std::int64_t>>;

constexpr std::int64_t unreachable = std::numeric_limits<std::int64_t>::max();

std::vector<std::int64_t> distances_from(const Graph& graph, std::size_t vertex) {
  std::vector<std::int64_t> distance(num_vertices(graph));
  boost::dijkstra_shortest_paths(graph, vertex,
                                 boost::distance_map(boost::make_iterator_property_map(
                                     distance.begin(), get(boost::vertex_index, graph))));
  return distance;
}

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument(what);
}

/// For each CPU number, the index of the group that it is in. Refuses a CPU in two groups.
std::vector<std::uint32_t> group_by_cpu(const std::vector<std::vector<CpuId>>& groups,
                                        std::size_t numbers, const char* kind) {
  std::vector<std::uint32_t> group(numbers, ~0U);
  for (std::uint32_t index = 0; index < groups.size(); ++index) {
    for (const CpuId cpu : groups[index]) {
      if (cpu.value >= numbers) {
        refuse("CPU " + std::to_string(cpu.value) + " has a " + kind + " but no node");
      }
      if (group[cpu.value] != ~0U) {
        refuse("CPU " + std::to_string(cpu.value) + " is listed in two places as part of a " +
               kind);
      }
      group[cpu.value] = index;
    }
  }
  return group;
}

}  // namespace

Topology::Topology(const TopologyDescription& description) {
  if (description.nodes.empty()) refuse("a machine needs at least one node");
  index_cpus(description);
  measure_paths(description);
}

bool Topology::is_online(CpuId cpu) const {
  return cpu.value < cpu_core_.size() && cpu_core_[cpu.value] != no_core;
}

void Topology::index_cpus(const TopologyDescription& description) {
  node_cpus_ = description.nodes;
  for (std::vector<CpuId>& node : node_cpus_) {
    std::sort(node.begin(), node.end());
    cpus_.insert(cpus_.end(), node.begin(), node.end());
  }
  std::sort(cpus_.begin(), cpus_.end());
  if (cpus_.empty()) refuse("a machine needs at least one CPU");
  const std::size_t numbers = cpus_.back().value + 1;

  const auto node_by_cpu = group_by_cpu(description.nodes, numbers, "node");
  const auto l3_by_cpu = group_by_cpu(description.l3_groups, numbers, "L3 group");
  const auto core_by_cpu = group_by_cpu(description.cores, numbers, "core");
  cpu_core_.assign(numbers, no_core);
  core_l3_.resize(description.cores.size());
  l3_node_.resize(description.l3_groups.size());
  for (std::uint32_t l3 = 0; l3 < description.l3_groups.size(); ++l3) {
    if (description.l3_groups[l3].empty()) refuse("an L3 group without CPUs");
    l3_node_[l3] = {node_by_cpu[description.l3_groups[l3].front().value]};
  }
  for (std::uint32_t core = 0; core < description.cores.size(); ++core) {
    if (description.cores[core].empty()) refuse("a core without CPUs");
    threads_per_core_ =
        std::max(threads_per_core_, static_cast<std::uint32_t>(description.cores[core].size()));
    core_l3_[core] = {l3_by_cpu[description.cores[core].front().value]};
  }
  for (const CpuId cpu : cpus_) {
    const std::string name = "CPU " + std::to_string(cpu.value);
    const std::uint32_t core = core_by_cpu[cpu.value];
    const std::uint32_t l3 = l3_by_cpu[cpu.value];
    if (core == ~0U || l3 == ~0U) refuse(name + " has a node but no core or no L3 group");
    if (core_l3_[core].value != l3) refuse(name + " and its SMT sibling lie in two L3 groups");
    if (l3_node_[l3].value != node_by_cpu[cpu.value])
      refuse("the L3 group of " + name + " lies in two nodes");
    cpu_core_[cpu.value] = {core};
  }
}

void Topology::measure_paths(const TopologyDescription& description) {
  // Vertices: the nodes' home agents first, then the L3 groups, the cores and the CPUs. A line's
  // way from core to core leads up to the lowest vertex that they share, and down again. Latencies
  // are kept doubled, so that half a round trip stays whole.
  const std::size_t first_l3 = nodes();
  const std::size_t first_core = first_l3 + l3_groups();
  const std::size_t first_cpu = first_core + cores();
  Graph graph(first_cpu + cpus());
  for (std::size_t l3 = 0; l3 < l3_groups(); ++l3) {
    add_edge(first_l3 + l3, l3_node_[l3].value,
             description.other_l3.count - description.same_l3.count, graph);
  }
  for (std::size_t core = 0; core < cores(); ++core) {
    add_edge(first_core + core, first_l3 + core_l3_[core].value, description.same_l3.count, graph);
  }
  for (std::size_t cpu = 0; cpu < cpus(); ++cpu) {
    add_edge(first_cpu + cpu, first_core + core_of(cpus_[cpu]).value, 0, graph);
  }
  for (const TopologyDescription::Link& link : description.links) {
    if (link.from.value >= nodes() || link.to.value >= nodes()) {
      refuse("a link to node " + std::to_string(std::max(link.from, link.to).value) +
             ", which the machine lacks");
    }
    add_edge(link.from.value, link.to.value, 2 * link.one_way.count, graph);
  }

  node_crossing_.resize(std::size_t{nodes()} * nodes());
  for (std::size_t from = 0; from < nodes(); ++from) {
    const auto distance = distances_from(graph, from);
    for (std::size_t to = 0; to < nodes(); ++to) {
      if (distance[to] == unreachable) {
        refuse("no link leads from node " + std::to_string(from) + " to node " +
               std::to_string(to));
      }
      node_crossing_[from * nodes() + to] = {distance[to] / 2};
    }
  }
  l3_round_trip_.resize(std::size_t{l3_groups()} * l3_groups());
  home_round_trip_.resize(std::size_t{l3_groups()} * nodes());
  for (std::size_t from = 0; from < l3_groups(); ++from) {
    const auto distance = distances_from(graph, first_l3 + from);
    for (std::size_t home = 0; home < nodes(); ++home) {
      home_round_trip_[from * nodes() + home] = {distance[home]};
    }
    for (std::size_t to = 0; to < l3_groups(); ++to) {
      // Core to L3 at both ends. The way to another node's L3 is crossed twice: there and back.
      const Picoseconds crossing = this->crossing(l3_node_[from], l3_node_[to]);
      l3_round_trip_[from * l3_groups() + to] = {description.same_l3.count +
                                                 distance[first_l3 + to] / 2 + crossing.count};
    }
  }
}

}  // namespace futexsim
