#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "futexsim/hardware/ids.hpp"

namespace futexsim {

/// Reads the kernel's cpulist format: `0-7,16-23`, with strides as in `0-62:2`. CPUs come back in
/// the order in which they are written. Throws std::invalid_argument with a phrase for the user.
std::vector<CpuId> parse_cpu_list(std::string_view text);

/// The shortest cpulist without strides.
std::string format_cpu_list(std::vector<CpuId> cpus);

}  // namespace futexsim
