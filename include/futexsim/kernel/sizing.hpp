#pragma once

#include <cstdint>
#include <string>

#include "futexsim/hardware/topology.hpp"

namespace futexsim {

/// Buckets that a kernel gives without being asked, to a process of `threads` threads beside its
/// main thread. All CPUs are taken as possible and online.
///   global           futex_init(), v3.14 to v6.15: 256 for each CPU
///   global-per-node  futex_init(), v6.16: the same, divided by nodes
///   private          RFC v2 of 2024: 4
///   others           futex_hash_allocate_default(), 2025: 4 for each thread or CPU, at least 16
/// rounded up to a power of two; a private table is at most as large as a node's global one.
std::uint32_t automatic_buckets(const std::string& policy, std::uint32_t threads,
                                const Topology& topology);

}  // namespace futexsim
