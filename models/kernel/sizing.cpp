#include "futexsim/kernel/sizing.hpp"

#include <algorithm>
#include <bit>

namespace futexsim {
namespace {

constexpr std::uint32_t per_cpu = 256;
constexpr std::uint32_t rfc_v2_default = 4;
constexpr std::uint32_t least_private = 16;
constexpr std::uint32_t per_thread = 4;

}  // namespace

std::uint32_t automatic_buckets(const std::string& policy, std::uint32_t threads,
                                const Topology& topology) {
  const std::uint32_t cpus = topology.cpus();
  if (policy == "global") return std::bit_ceil(per_cpu * cpus);
  if (policy == "private") return rfc_v2_default;
  const std::uint32_t of_node = std::bit_ceil(std::max(4U, per_cpu * cpus / topology.nodes()));
  if (policy == "global-per-node") return of_node;
  const std::uint32_t wanted = std::bit_ceil(per_thread * std::min(threads, cpus));
  return std::min(std::max(wanted, least_private), of_node);
}

}  // namespace futexsim
