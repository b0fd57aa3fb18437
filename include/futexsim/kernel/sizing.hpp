#pragma once

#include <cstdint>

#include "futexsim/hardware/topology.hpp"
#include "futexsim/parts/registry.hpp"

namespace futexsim {

/// How many buckets a kernel gives without being asked. A file of configs/kernels names its rules;
/// implementations register themselves in Registry<SizingRule>. All CPUs are taken as possible and
/// online.
class SizingRule {
 public:
  virtual ~SizingRule() = default;
  /// To a process for which so many threads existed before the last clone() (its main thread among
  /// them), or to the system. A power of two.
  virtual std::uint32_t buckets(const Topology& topology, std::uint32_t threads) const = 0;
};

using SizingChoice = Choice<SizingRule>;

}  // namespace futexsim
