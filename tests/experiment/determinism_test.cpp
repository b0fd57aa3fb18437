// A run is a function of (config, seed) alone.

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "../support/futex_hash_lab.hpp"
#include "futexsim/experiment/point_runner.hpp"
#include "scratch_folder.hpp"

using namespace futexsim;

namespace {

constexpr const char* golden_file = FUTEXSIM_SOURCE_DIR "/tests/golden/points.json";

/// A point on a test's machine, whose file has the name that is given.
class PointOn {
 public:
  PointOn(const TestMachine& machine, const std::string& file_name, nlohmann::json config) {
    const std::string path = folder_ / file_name;
    std::ofstream(path) << machine.json();
    config["machine"] = path;
    config["precision"] = 1;  // the least number of replications
    point_.emplace(Document("config", config).cursor(), Catalogue(FUTEXSIM_SOURCE_DIR "/configs"));
  }
  const Point& operator*() const { return *point_; }

 private:
  ScratchFolder folder_;
  std::optional<Point> point_;
};

nlohmann::json config(const char* kernel, const char* policy, std::uint32_t buckets,
                      std::uint32_t threads, std::uint64_t seed = 1) {
  return {{"kernel", kernel},
          {"policy", {{"name", policy}, {"buckets", buckets}}},
          {"workload", {{"name", "futex-hash"}, {"threads", threads}}},
          {"seed", seed}};
}

TestMachine two_sockets() {
  TestMachine machine;
  machine.nodes(2).cores_per_node(8).threads_per_core(2).smt_speed(0.72).same_l3(51).other_l3(51);
  return machine.crossing(89.5).hold_window(11.6).atomic(8).plain(1);
}

TestMachine four_sockets() {
  TestMachine machine = two_sockets();
  return machine.nodes(4).home_snoop().directory_cache(512, 71);
}

TestMachine chiplets() {
  TestMachine machine = two_sockets();
  return machine.moesi().l3_groups_per_node(4).same_l3(22).other_l3(90);
}

/// Few buckets under the queued lock, upgrades and a directory cache, a counter
/// that all share.
std::map<std::string, std::unique_ptr<PointOn>> golden_points() {
  std::map<std::string, std::unique_ptr<PointOn>> points;
  points["contended-mesif"] =
      std::make_unique<PointOn>(two_sockets(), "a.json", config("2024-rfc-v2", "private", 4, 28));
  points["directory-cache"] = std::make_unique<PointOn>(
      four_sockets(), "b.json", config("2025-series", "immutable", 4096, 60));
  points["resizable-moesi"] =
      std::make_unique<PointOn>(chiplets(), "c.json", config("2025-series", "resizable", 64, 32));
  return points;
}

std::string hash_of(const Point& point) {
  return to_hex(simulate(point).trace_hash);
}

}  // namespace

TEST_CASE("golden traces: every build takes the same events in the same order") {
  nlohmann::json found;
  for (const auto& [name, point] : golden_points()) {
    const PointResult result = simulate(**point);
    found[name] = {{"trace_hash", to_hex(result.trace_hash)},
                   {"events", result.events},
                   {"operations", result.operations}};
  }
  const char* const renew = std::getenv("FUTEXSIM_RENEW_GOLDEN");
  if (renew != nullptr && *renew != '\0') std::ofstream(golden_file) << found.dump(2) << '\n';
  const nlohmann::json expected = Document::read(golden_file).root();
  for (const auto& item : found.items()) {
    CAPTURE(item.key());
    REQUIRE(expected.contains(item.key()));
    CHECK(item.value().dump() == expected.at(item.key()).dump());
  }
  CHECK(found.size() == expected.size());
}

TEST_CASE(
    "two points in one process, in either order and again, give the same "
    "traces") {
  const PointOn one(two_sockets(), "a.json", config("2024-rfc-v2", "private", 4, 28));
  const PointOn other(chiplets(), "b.json", config("2025-series", "resizable", 64, 16));
  const std::string first = hash_of(*one);
  const std::string second = hash_of(*other);
  CHECK(hash_of(*other) == second);
  CHECK(hash_of(*one) == first);
  CHECK(first != second);
}

TEST_CASE("a trace depends on no path") {
  const PointOn one(two_sockets(), "a.json", config("2024-rfc-v2", "private", 4, 8));
  const PointOn other(two_sockets(), "another-name.json", config("2024-rfc-v2", "private", 4, 8));
  CHECK(hash_of(*one) == hash_of(*other));
}

TEST_CASE("another seed is another trace") {
  const PointOn one(two_sockets(), "a.json", config("2024-rfc-v2", "private", 4, 8, 1));
  const PointOn other(two_sockets(), "a.json", config("2024-rfc-v2", "private", 4, 8, 2));
  CHECK(hash_of(*one) != hash_of(*other));
}

TEST_CASE(
    "a host thread with a used frame pool gives the same trace as a "
    "fresh one") {
  const PointOn point(two_sockets(), "a.json", config("2025-series", "resizable", 64, 16));
  const std::string here = hash_of(*point);
  std::string there;
  std::thread([&] { there = hash_of(*point); }).join();
  CHECK(there == here);
}

TEST_CASE("one worker thread or two: the same results in the same order") {
  std::vector<Point> points;
  std::deque<PointOn> owners;
  for (const std::uint32_t threads : {28U, 1U, 16U, 2U, 8U}) {
    points.push_back(*owners.emplace_back(two_sockets(), "a.json",
                                          config("2024-rfc-v2", "private", 4, threads)));
  }
  const auto hashes = [&](unsigned jobs) {
    std::vector<std::string> out;
    PointRunObserver observer;
    observer.finished = [&](std::size_t index, const PointResult& result) {
      CHECK(index == out.size());
      out.push_back(to_hex(result.trace_hash));
    };
    CHECK(run_points(points, jobs, observer));
    return out;
  };
  const std::vector<std::string> one = hashes(1);
  CHECK(one.size() == points.size());
  CHECK(hashes(2) == one);
  CHECK(hashes(7) == one);
}

TEST_CASE(
    "two simulations that take turns, event by event, don't know of each "
    "other") {
  const auto alone = [] {
    FutexHashLab lab(two_sockets(), TestKernel{}.policy("private", 4), 28, 1);
    for (int i = 0; i < 20'000; ++i) lab.simulation().step();
    return lab.simulation().trace_hash();
  };
  FutexHashLab one(two_sockets(), TestKernel{}.policy("private", 4), 28, 1);
  FutexHashLab other(chiplets(), TestKernel{}.policy("resizable", 8), 32, 2);
  for (int i = 0; i < 20'000; ++i) {
    one.simulation().step();
    other.simulation().step();
  }
  CHECK(one.simulation().trace_hash() == alone());
}

TEST_CASE("acquisitions, releases and operations of a run agree") {
  for (const char* const policy : {"private", "resizable", "global", "global-per-node"}) {
    FutexHashLab lab(four_sockets(), TestKernel{}.policy(policy, 16), 64, 1);
    REQUIRE(lab.run_operations(20'000));
    const std::uint64_t operations = lab.workload().operations();
    CHECK(lab.kernel().acquires() >= lab.kernel().releases());
    CHECK(lab.kernel().releases() >= operations);
    CHECK(lab.kernel().acquires() - operations <= 64);  // those inside an operation
  }
}
