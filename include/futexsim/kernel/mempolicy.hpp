#pragma once

#include <charconv>
#include <optional>
#include <string_view>

#include "futexsim/hardware/ids.hpp"

namespace futexsim {

/// K of "nodeK", as configs bind memory and threads; nothing for any other text.
inline std::optional<NodeId> bound_node(std::string_view name) {
  constexpr std::string_view prefix = "node";
  if (!name.starts_with(prefix)) return std::nullopt;
  NodeId node{};
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + prefix.size(), end, node.value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return node;
}

}  // namespace futexsim
