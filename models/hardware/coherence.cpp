#include "futexsim/hardware/coherence.hpp"

namespace futexsim {

std::string_view name_of(Distance distance) {
  static constexpr std::array<std::string_view, distances> names{
      "same core",        "same L3", "same node, other L3", "same node, remote home", "other node",
      "third-party home", "memory"};
  return names[static_cast<std::size_t>(distance)];
}

}  // namespace futexsim
