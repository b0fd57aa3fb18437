#pragma once

#include <compare>
#include <cstdint>

namespace futexsim {

/// A number that names one thing of one kind: an id of another kind does not convert to it.
template <class Tag>
struct StrongId {
  std::uint32_t value = 0;

  friend constexpr auto operator<=>(StrongId, StrongId) = default;
};

using ActorId = StrongId<struct ActorTag>;

}  // namespace futexsim
