#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "futexsim/engine/event_queue.hpp"
#include "futexsim/engine/time.hpp"
#include "futexsim/engine/trace_hash.hpp"

namespace futexsim {

/// Something with at most one pending event.
class Actor {
 public:
  /// The actor's event is due; the simulation's clock stands at its time.
  virtual void fire() = 0;

  ActorId actor_id() const { return actor_id_; }

 protected:
  ~Actor() = default;

 private:
  friend class Simulation;
  ActorId actor_id_;
};

/// The clock and the event loop of one run. Deterministic: events fire in the order of (time,
/// actor id), and actors get their ids in the order in which they join. Not thread-safe; any
/// number of simulations may live side by side.
class Simulation {
 public:
  explicit Simulation(std::uint32_t actors) : queue_(actors) { actors_.reserve(actors); }

  /// Invariant: no more actors join than the constructor was told.
  void join(Actor& actor) {
    assert(actors_.size() < actors_.capacity());
    actor.actor_id_ = {static_cast<std::uint32_t>(actors_.size())};
    actors_.push_back(&actor);
  }

  Picoseconds now() const { return now_; }
  std::uint64_t events() const { return events_; }
  std::uint64_t trace_hash() const { return trace_.value(); }

  /// Sets or moves the actor's event. Invariant: no event in the past.
  void schedule(const Actor& actor, Picoseconds at) {
    assert(at >= now_);
    queue_.schedule(actor.actor_id_, at);
    if (actor.actor_id_ == firing_) spent_ = false;
  }
  void cancel(const Actor& actor) {
    queue_.cancel(actor.actor_id_);
    if (actor.actor_id_ == firing_) spent_ = false;
  }

  /// Fires the next event; false when there is none.
  bool step() {
    if (queue_.empty()) return false;
    firing_ = queue_.next_actor();
    now_ = queue_.next_time();
    ++events_;
    trace_.add(static_cast<std::uint64_t>(now_.count) ^ (std::uint64_t{firing_.value} << 48));
    // Most actors schedule their next event when they fire: one walk through the queue, not two.
    spent_ = true;
    actors_[firing_.value]->fire();
    if (spent_) queue_.cancel(firing_);
    firing_ = nobody;
    return true;
  }

 private:
  EventQueue queue_;
  std::vector<Actor*> actors_;
  static constexpr ActorId nobody{~0U};

  Picoseconds now_;
  ActorId firing_ = nobody;
  bool spent_ = false;  ///< the firing actor's event is still the one that fired
  std::uint64_t events_ = 0;
  TraceHash trace_;
};

}  // namespace futexsim
