#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "futexsim/engine/strong_id.hpp"
#include "futexsim/engine/time.hpp"

namespace futexsim {

/// The pending events of a fixed number of actors, at most one each, as a winner tree.
///
/// Time and actor id share one 64-bit key, so ties break by actor id and a comparison is one
/// instruction; a path to the root has no branch that depends on data.
///
///   schedule, cancel        O(log actors)
///   next_time, next_actor   O(1)
///   memory                  16 bytes an actor, rounded up to a power of two
class EventQueue {
 public:
  explicit EventQueue(std::uint32_t actors)
      : id_bits_(std::bit_width(std::max(actors, 2U) - 1)),
        leaves_(std::size_t{1} << id_bits_),
        keys_(2 * leaves_, none) {}

  /// The latest time that fits beside an actor id: 4,503 s for 4,096 actors.
  Picoseconds horizon() const {
    return {static_cast<std::int64_t>(std::numeric_limits<std::uint64_t>::max() >> id_bits_) - 1};
  }

  bool empty() const { return keys_[1] == none; }
  Picoseconds next_time() const { return {static_cast<std::int64_t>(keys_[1] >> id_bits_)}; }
  ActorId next_actor() const { return {static_cast<std::uint32_t>(keys_[1] & (leaves_ - 1))}; }

  bool pending(ActorId actor) const { return keys_[leaves_ + actor.value] != none; }

  /// Sets or moves the actor's event. Throws std::overflow_error past the horizon.
  void schedule(ActorId actor, Picoseconds at) {
    assert(actor.value < leaves_ && at.count >= 0);
    if (at > horizon()) throw std::overflow_error("simulated time exceeds the event queue's range");
    place(actor, static_cast<std::uint64_t>(at.count) << id_bits_ | actor.value);
  }

  /// Drops the actor's event, if it has one.
  void cancel(ActorId actor) { place(actor, none); }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  void place(ActorId actor, std::uint64_t key) {
    std::uint64_t* const keys = keys_.data();
    std::size_t node = leaves_ + actor.value;
    keys[node] = key;
    while (node > 1) {
      key = std::min(key, keys[node ^ 1]);
      node >>= 1;
      keys[node] = key;
    }
  }

  int id_bits_;
  std::size_t leaves_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace futexsim
