#include "futexsim/workload/placement.hpp"

#include <algorithm>

#include "futexsim/kernel/mempolicy.hpp"

namespace futexsim {
namespace {

/// Nodes that have CPUs.
std::vector<NodeId> populated_nodes(const Topology& topology) {
  std::vector<NodeId> out;
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    if (!topology.cpus_of({node}).empty()) out.push_back({node});
  }
  return out;
}

/// The CPUs of a process's threads, in order.
std::span<const CpuId> cpus_of_process(const ThreadParameters& wanted, std::uint32_t process,
                                       const Cursor& at, const Topology& topology) {
  if (wanted.placement == "all") return topology.online();
  if (wanted.placement == "one process per node") {
    const std::vector<NodeId> nodes = populated_nodes(topology);
    if (wanted.processes > nodes.size()) {
      at.at("processes")
          .refuse("at most " + std::to_string(nodes.size()) +
                  ", as the machine has so many nodes with CPUs");
    }
    return topology.cpus_of(nodes[process]);
  }
  const std::optional<NodeId> node = bound_node(wanted.placement);
  if (!node || node->value >= topology.nodes() || topology.cpus_of(*node).empty()) {
    at.at("placement")
        .refuse("all, one process per node, or node0 to node" +
                std::to_string(topology.nodes() - 1));
  }
  return topology.cpus_of(*node);
}

}  // namespace

Placement Placement::of(const ThreadParameters& wanted, const Cursor& at,
                        const Topology& topology) {
  Placement out;
  for (std::uint32_t process = 0; process < wanted.processes; ++process) {
    const std::span<const CpuId> cpus = cpus_of_process(wanted, process, at, topology);
    out.add_process(topology.node_of(cpus.front()), wanted.threads);
    for (std::uint32_t thread = 0; thread < wanted.threads; ++thread) {
      out.threads.push_back({process, cpus[thread % cpus.size()]});
    }
  }
  return out;
}

std::uint32_t Placement::add_process(NodeId main_node, std::uint32_t its_threads) {
  main_nodes.push_back(main_node);
  threads_of_process.push_back(its_threads);
  return static_cast<std::uint32_t>(main_nodes.size()) - 1;
}

std::vector<CpuId> Placement::cpus() const {
  std::vector<CpuId> out;
  std::vector<bool> seen;
  const auto add = [&](const ThreadPlace& thread) {
    if (seen.size() <= thread.cpu.value) seen.resize(thread.cpu.value + 1);
    if (!seen[thread.cpu.value]) out.push_back(thread.cpu);
    seen[thread.cpu.value] = true;
  };
  std::for_each(threads.begin(), threads.end(), add);
  std::for_each(unbound.begin(), unbound.end(), add);
  return out;
}

}  // namespace futexsim
