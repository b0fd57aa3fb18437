#pragma once

#include "futexsim/engine/strong_id.hpp"

namespace futexsim {

using CpuId = StrongId<struct CpuTag>;    ///< a hardware thread, numbered as the kernel does
using CoreId = StrongId<struct CoreTag>;  ///< a core with its private L1 and L2
using L3Id = StrongId<struct L3Tag>;      ///< the cores that share one L3: a socket, or a CCX
using NodeId = StrongId<struct NodeTag>;  ///< a NUMA node: its cores and its memory

}  // namespace futexsim
