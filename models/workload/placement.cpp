#include <charconv>
#include <string_view>

#include "futexsim/workload/futex_hash.hpp"

namespace futexsim {

Placement Placement::read(const Cursor& at, const std::string& name, const Topology& topology) {
  if (name == "all") {
    const std::vector<CpuId> online(topology.online().begin(), topology.online().end());
    return {online, topology.node_of(online.front())};
  }
  constexpr std::string_view prefix = "node";
  std::uint32_t node = ~0U;
  if (name.starts_with(prefix)) {
    const char* const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + prefix.size(), end, node);
    if (error != std::errc{} || rest != end) node = ~0U;
  }
  if (node >= topology.nodes() || topology.cpus_of({node}).empty()) {
    at.refuse("all, or node0 to node" + std::to_string(topology.nodes() - 1));
  }
  const auto cpus = topology.cpus_of({node});
  return {{cpus.begin(), cpus.end()}, {node}};
}

}  // namespace futexsim
