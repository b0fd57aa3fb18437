#include "futexsim/engine/event_queue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "futexsim/engine/random.hpp"

using namespace futexsim;

namespace {

/// Takes the next event out.
std::pair<std::int64_t, std::uint32_t> pop(EventQueue& queue) {
  const ActorId actor = queue.next_actor();
  const Picoseconds time = queue.next_time();
  queue.cancel(actor);
  return {time.count, actor.value};
}

using Event = std::pair<std::int64_t, std::uint32_t>;
using Events = std::vector<Event>;

Events drain(EventQueue& queue) {
  Events events;
  while (!queue.empty()) events.push_back(pop(queue));
  return events;
}

/// What a queue must do, written without regard to time: scans all actors.
class NaiveQueue {
 public:
  void schedule(std::uint32_t actor, std::int64_t at) { at_[actor] = at; }
  void cancel(std::uint32_t actor) { at_.erase(actor); }
  bool empty() const { return at_.empty(); }
  bool pending(std::uint32_t actor) const { return at_.contains(actor); }
  Event next() const {
    const auto first = std::min_element(at_.begin(), at_.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second, a.first) < std::pair(b.second, b.first);
    });
    return {first->second, first->first};
  }

 private:
  std::map<std::uint32_t, std::int64_t> at_;
};

}  // namespace

TEST_CASE("events come out in the order of time, whatever the order in which they went in") {
  EventQueue queue(4);
  queue.schedule({0}, {30});
  queue.schedule({1}, {10});
  queue.schedule({2}, {40});
  queue.schedule({3}, {20});
  CHECK(drain(queue) == Events{{10, 1}, {20, 3}, {30, 0}, {40, 2}});
}

TEST_CASE("events of one time come out in the order of their actors") {
  EventQueue queue(5);
  for (const std::uint32_t actor : {3U, 0U, 4U, 1U, 2U}) queue.schedule({actor}, {7});
  CHECK(drain(queue) == Events{{7, 0}, {7, 1}, {7, 2}, {7, 3}, {7, 4}});
}

TEST_CASE("scheduling again moves the event, earlier or later") {
  EventQueue queue(3);
  for (const std::uint32_t actor : {0U, 1U, 2U}) queue.schedule({actor}, {100 + 10 * actor});
  queue.schedule({2}, {50});
  queue.schedule({0}, {115});
  CHECK(drain(queue) == Events{{50, 2}, {110, 1}, {115, 0}});
}

TEST_CASE("a cancelled event never comes; cancelling nothing does nothing") {
  EventQueue queue(3);
  queue.schedule({0}, {1});
  queue.schedule({1}, {2});
  queue.cancel({0});
  queue.cancel({0});
  queue.cancel({2});
  CHECK_FALSE(queue.pending({0}));
  CHECK(queue.pending({1}));
  CHECK(drain(queue) == Events{{2, 1}});
  CHECK(queue.empty());
}

TEST_CASE("time 0 and the horizon itself are times like any other") {
  EventQueue queue(2);
  const std::int64_t horizon = queue.horizon().count;
  queue.schedule({1}, {horizon});
  queue.schedule({0}, {0});
  CHECK(drain(queue) == Events{{0, 0}, {horizon, 1}});
}

TEST_CASE("past the horizon is refused, and what was there stays") {
  for (const std::uint32_t actors : {1U, 2U, 3U, 240U, 4096U}) {
    CAPTURE(actors);
    EventQueue queue(actors);
    const std::int64_t horizon = queue.horizon().count;
    queue.schedule({actors - 1}, {5});
    CHECK_THROWS_AS(queue.schedule({actors - 1}, {horizon + 1}), std::overflow_error);
    CHECK_THROWS_AS(queue.schedule({0}, {INT64_MAX}), std::overflow_error);
    CHECK(drain(queue) == Events{{5, actors - 1}});
    // The latest event of the last actor has all bits set but one: not mistaken for none.
    queue.schedule({actors - 1}, {horizon});
    CHECK(drain(queue) == Events{{horizon, actors - 1}});
  }
}

TEST_CASE("12 bits of actor leave 2^52 ps, more than 75 minutes") {
  CHECK(EventQueue(4096).horizon().count == (std::int64_t{1} << 52) - 2);
  CHECK(EventQueue(2048).horizon().count == (std::int64_t{1} << 53) - 2);
}

TEST_CASE("one actor alone has a queue, too") {
  EventQueue queue(1);
  CHECK(queue.empty());
  queue.schedule({0}, {9});
  queue.schedule({0}, {8});
  CHECK(drain(queue) == Events{{8, 0}});
}

TEST_CASE("4096 actors come out as sorting would have it") {
  EventQueue queue(4096);
  RandomStream random(1, "times");
  Events expected;
  for (std::uint32_t actor = 0; actor < 4096; ++actor) {
    const auto at = static_cast<std::int64_t>(random.below(1000));  // many ties
    queue.schedule({actor}, {at});
    expected.emplace_back(at, actor);
  }
  std::sort(expected.begin(), expected.end());
  CHECK(drain(queue) == expected);
}

TEST_CASE("any mix of scheduling, moving, cancelling and popping agrees with a naive queue") {
  for (const std::uint32_t actors : {1U, 2U, 3U, 5U, 17U, 64U, 65U, 300U}) {
    CAPTURE(actors);
    EventQueue queue(actors);
    NaiveQueue naive;
    RandomStream random(actors, "operations");
    for (int i = 0; i < 5000; ++i) {
      const auto actor = static_cast<std::uint32_t>(random.below(actors));
      const auto at = static_cast<std::int64_t>(random.below(50));
      switch (random.below(4)) {
        case 0:
          queue.cancel({actor});
          naive.cancel(actor);
          break;
        case 1:
          if (!naive.empty()) naive.cancel(pop(queue).second);
          break;
        default:
          queue.schedule({actor}, {at});
          naive.schedule(actor, at);
      }
      REQUIRE(queue.empty() == naive.empty());
      REQUIRE(queue.pending({actor}) == naive.pending(actor));
      if (naive.empty()) continue;
      REQUIRE(Event(queue.next_time().count, queue.next_actor().value) == naive.next());
    }
  }
}
