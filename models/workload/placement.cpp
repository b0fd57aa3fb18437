#include "futexsim/workload/placement.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace futexsim {
namespace {

/// The number of "nodeK", or one that no node has.
std::uint32_t node_number(const std::string& name) {
  constexpr std::string_view prefix = "node";
  std::uint32_t node = ~0U;
  if (!name.starts_with(prefix)) return node;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + prefix.size(), end, node);
  return error == std::errc{} && rest == end ? node : ~0U;
}

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
  const std::uint32_t node = node_number(wanted.placement);
  if (node >= topology.nodes() || topology.cpus_of({node}).empty()) {
    at.at("placement")
        .refuse("all, one process per node, or node0 to node" +
                std::to_string(topology.nodes() - 1));
  }
  return topology.cpus_of({node});
}

}  // namespace

Placement Placement::of(const ThreadParameters& wanted, const Cursor& at,
                        const Topology& topology) {
  Placement out;
  for (std::uint32_t process = 0; process < wanted.processes; ++process) {
    const std::span<const CpuId> cpus = cpus_of_process(wanted, process, at, topology);
    out.main_nodes.push_back(topology.node_of(cpus.front()));
    for (std::uint32_t thread = 0; thread < wanted.threads; ++thread) {
      out.threads.push_back({process, cpus[thread % cpus.size()]});
    }
    for (std::uint32_t thread = 0; process == 0 && thread < wanted.unbound; ++thread) {
      out.unbound.push_back({process, cpus[(thread + 1) % cpus.size()]});
    }
  }
  return out;
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
