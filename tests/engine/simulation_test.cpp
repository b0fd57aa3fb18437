#include "futexsim/engine/simulation.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

using namespace futexsim;

namespace {

/// An actor that does what a test says when it fires.
struct Scripted final : Actor {
  void fire() override {
    ++fired;
    if (script) script();
  }
  std::function<void()> script;
  int fired = 0;
};

/// Actors a and b of one simulation, which write down who fires when.
struct TwoActors {
  TwoActors() {
    simulation.join(a);
    simulation.join(b);
    a.script = [this] { note("a"); };
    b.script = [this] { note("b"); };
  }
  void note(const std::string& who) { log += who + std::to_string(simulation.now().count) + " "; }
  std::string run() {
    while (simulation.step()) {
    }
    return log;
  }

  Simulation simulation{2};
  Scripted a, b;
  std::string log;
};

}  // namespace

TEST_CASE("the clock stands at an event's time when it fires") {
  TwoActors two;
  two.simulation.schedule(two.a, {20});
  two.simulation.schedule(two.b, {10});
  CHECK(two.run() == "b10 a20 ");
  CHECK(two.simulation.now() == Picoseconds{20});
  CHECK(two.simulation.events() == 2);
}

TEST_CASE("an event that has fired is over") {
  TwoActors two;
  two.simulation.schedule(two.a, {1});
  CHECK(two.simulation.step());
  CHECK_FALSE(two.simulation.step());
  CHECK(two.a.fired == 1);
}

TEST_CASE("an actor that schedules itself when it fires goes on") {
  TwoActors two;
  two.a.script = [&] {
    two.note("a");
    if (two.a.fired < 3) two.simulation.schedule(two.a, two.simulation.now() + Picoseconds{5});
  };
  two.simulation.schedule(two.a, {1});
  CHECK(two.run() == "a1 a6 a11 ");
}

TEST_CASE("an actor may fire again at the same time, before actors of a higher id") {
  TwoActors two;
  two.a.script = [&] {
    two.note("a");
    if (two.a.fired < 3) two.simulation.schedule(two.a, two.simulation.now());
  };
  two.simulation.schedule(two.a, {4});
  two.simulation.schedule(two.b, {4});
  CHECK(two.run() == "a4 a4 a4 b4 ");
}

TEST_CASE("an event that somebody else moves while he fires comes at its new time only") {
  TwoActors two;
  two.a.script = [&] {
    two.note("a");
    two.simulation.schedule(two.b, {30});
  };
  two.simulation.schedule(two.a, {10});
  two.simulation.schedule(two.b, {10});
  CHECK(two.run() == "a10 b30 ");
}

TEST_CASE("an event that somebody else cancels while he fires never comes") {
  TwoActors two;
  two.a.script = [&] {
    two.note("a");
    two.simulation.cancel(two.b);
  };
  two.simulation.schedule(two.a, {10});
  two.simulation.schedule(two.b, {10});
  CHECK(two.run() == "a10 ");
}

TEST_CASE("who fires may cancel itself, and schedule itself after that") {
  TwoActors two;
  two.a.script = [&] {
    two.note("a");
    two.simulation.schedule(two.a, {50});
    two.simulation.cancel(two.a);
  };
  two.b.script = [&] {
    two.note("b");
    two.simulation.cancel(two.b);
    if (two.b.fired == 1) two.simulation.schedule(two.b, {40});
  };
  two.simulation.schedule(two.a, {10});
  two.simulation.schedule(two.b, {20});
  CHECK(two.run() == "a10 b20 b40 ");
}

TEST_CASE("an actor that is idle again can be scheduled by another") {
  TwoActors two;
  two.b.script = [&] {
    two.note("b");
    if (two.b.fired == 1) two.simulation.schedule(two.a, {25});
  };
  two.simulation.schedule(two.a, {10});
  two.simulation.schedule(two.b, {20});
  CHECK(two.run() == "a10 b20 a25 ");
}

TEST_CASE("two simulations with the same events have the same hash, side by side") {
  TwoActors one, other;
  for (TwoActors* two : {&one, &other}) {
    two->simulation.schedule(two->a, {10});
    two->simulation.schedule(two->b, {20});
  }
  while (one.simulation.step()) CHECK(other.simulation.step());
  CHECK(one.simulation.trace_hash() == other.simulation.trace_hash());
}

TEST_CASE("swapping two events, or moving one by a picosecond, changes the hash") {
  const auto hash_of = [](Picoseconds a, Picoseconds b) {
    TwoActors two;
    two.simulation.schedule(two.a, a);
    two.simulation.schedule(two.b, b);
    two.run();
    return two.simulation.trace_hash();
  };
  CHECK(hash_of({10}, {20}) != hash_of({20}, {10}));
  CHECK(hash_of({10}, {20}) != hash_of({10}, {21}));
  CHECK(hash_of({10}, {10}) != hash_of({10}, {11}));
  CHECK(hash_of({10}, {20}) == hash_of({10}, {20}));
}
