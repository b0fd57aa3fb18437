#include "futexsim/hardware/topology.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "../parts/message_of.hpp"
#include "../support/lab.hpp"
#include "futexsim/hardware/cpu_list.hpp"

using namespace futexsim;

namespace {

TopologyDescription description(const std::vector<const char*>& nodes,
                                const std::vector<const char*>& l3_groups,
                                const std::vector<const char*>& cores) {
  const auto lists = [](const std::vector<const char*>& texts) {
    std::vector<std::vector<CpuId>> out;
    for (const char* const text : texts) out.push_back(parse_cpu_list(text));
    return out;
  };
  return {.nodes = lists(nodes),
          .l3_groups = lists(l3_groups),
          .cores = lists(cores),
          .links = {},
          .same_l3 = nanoseconds(20),
          .other_l3 = nanoseconds(50)};
}

TopologyDescription::Link link(std::uint32_t a, std::uint32_t b, std::int64_t one_way_ns) {
  return {{a}, {b}, nanoseconds(one_way_ns)};
}

std::string refusal(const TopologyDescription& description) {
  try {
    const Topology topology(description);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("two sockets of two cores with SMT: who sits where") {
  auto two_sockets =
      description({"0-1,4-5", "2-3,6-7"}, {"0-1,4-5", "2-3,6-7"}, {"0,4", "1,5", "2,6", "3,7"});
  two_sockets.links = {link(0, 1, 40)};
  const Topology topology(two_sockets);
  CHECK(topology.cpus() == 8);
  CHECK(topology.cores() == 4);
  CHECK(topology.l3_groups() == 2);
  CHECK(topology.nodes() == 2);
  CHECK(topology.threads_per_core() == 2);
  CHECK(topology.core_of({1}) == topology.core_of({5}));
  CHECK(topology.core_of({1}) != topology.core_of({2}));
  CHECK(topology.node_of(CpuId{5}) == NodeId{0});
  CHECK(topology.node_of(CpuId{6}) == NodeId{1});
  CHECK(format_cpu_list({topology.cpus_of({1}).begin(), topology.cpus_of({1}).end()}) == "2-3,6-7");
}

TEST_CASE("between two sockets a line crosses the link twice beside its way in a socket") {
  auto two_sockets = description({"0-1", "2-3"}, {"0-1", "2-3"}, {"0", "1", "2", "3"});
  two_sockets.other_l3 = two_sockets.same_l3;  // one L3 a socket
  two_sockets.links = {link(0, 1, 40)};
  const Topology topology(two_sockets);
  CHECK(topology.crossing({0}, {1}) == nanoseconds(40));
  CHECK(topology.crossing({1}, {1}) == nanoseconds(0));
  CHECK(topology.round_trip({0}, {0}) == nanoseconds(20));
  CHECK(topology.round_trip({0}, {1}) == nanoseconds(20 + 2 * 40));
  CHECK(topology.round_trip({1}, {0}) == nanoseconds(20 + 2 * 40));
  CHECK(topology.home_round_trip({0}, {0}) == nanoseconds(0));
  CHECK(topology.home_round_trip({0}, {1}) == nanoseconds(2 * 40));
}

TEST_CASE("four nodes in a ring: opposite corners are two links apart") {
  auto ring = description({"0", "1", "2", "3"}, {"0", "1", "2", "3"}, {"0", "1", "2", "3"});
  ring.other_l3 = ring.same_l3;
  ring.links = {link(0, 1, 30), link(1, 2, 30), link(2, 3, 30), link(3, 0, 30)};
  const Topology topology(ring);
  CHECK(topology.crossing({0}, {1}) == nanoseconds(30));
  CHECK(topology.crossing({0}, {2}) == nanoseconds(60));
  CHECK(topology.crossing({1}, {3}) == nanoseconds(60));
  CHECK(topology.round_trip({0}, {2}) == nanoseconds(20 + 2 * 60));
}

TEST_CASE("a detour over fast links beats a slow direct one") {
  auto triangle = description({"0", "1", "2"}, {"0", "1", "2"}, {"0", "1", "2"});
  triangle.links = {link(0, 1, 10), link(1, 2, 10), link(0, 2, 50)};
  CHECK(Topology(triangle).crossing({0}, {2}) == nanoseconds(20));
}

TEST_CASE("two L3 groups in each of two nodes: four distances") {
  auto epyc = description({"0-3", "4-7"}, {"0-1", "2-3", "4-5", "6-7"},
                          {"0", "1", "2", "3", "4", "5", "6", "7"});
  epyc.links = {link(0, 1, 60)};
  const Topology topology(epyc);
  CHECK(topology.l3_of(topology.core_of({3})) == L3Id{1});
  CHECK(topology.node_of(L3Id{2}) == NodeId{1});
  CHECK(topology.round_trip({1}, {1}) == nanoseconds(20));
  CHECK(topology.round_trip({0}, {1}) == nanoseconds(50));
  CHECK(topology.round_trip({1}, {2}) == nanoseconds(50 + 2 * 60));
  CHECK(topology.home_round_trip({1}, {0}) == nanoseconds(30));
  CHECK(topology.home_round_trip({1}, {1}) == nanoseconds(30 + 2 * 60));
}

TEST_CASE("odd latencies lose no half picosecond") {
  auto odd = description({"0-1", "2"}, {"0", "1", "2"}, {"0", "1", "2"});
  odd.same_l3 = {3};
  odd.other_l3 = {8};
  odd.links = {{{0}, {1}, {7}}};
  const Topology topology(odd);
  CHECK(topology.round_trip({0}, {1}) == Picoseconds{8});
  CHECK(topology.round_trip({0}, {2}) == Picoseconds{8 + 14});
  CHECK(topology.crossing({0}, {1}) == Picoseconds{7});
}

TEST_CASE("CPU numbers may have gaps; only those that exist are online") {
  const Topology topology(description({"2,5"}, {"2,5"}, {"2", "5"}));
  CHECK(topology.cpus() == 2);
  CHECK_FALSE(topology.is_online({0}));
  CHECK(topology.is_online({5}));
  CHECK_FALSE(topology.is_online({6}));
}

TEST_CASE("a description that contradicts itself is refused with the reason") {
  CHECK(refusal(description({}, {}, {})) == "a machine needs at least one node");
  CHECK(refusal(description({"0", "0-1"}, {"0-1"}, {"0", "1"})) ==
        "CPU 0 is listed in two places as part of a node");
  CHECK(refusal(description({"0-1"}, {"0-1", "1"}, {"0", "1"})) ==
        "CPU 1 is listed in two places as part of a L3 group");
  CHECK(refusal(description({"0-1"}, {"0-1"}, {"0,1", "1"})) ==
        "CPU 1 is listed in two places as part of a core");
  CHECK(refusal(description({"0-1"}, {"0"}, {"0", "1"})) ==
        "CPU 1 has a node but no core or no L3 group");
  CHECK(refusal(description({"0"}, {"0"}, {"0", "1"})) == "CPU 1 has a core but no node");
  CHECK(refusal(description({"0-1"}, {"0", "1"}, {"0-1"})) ==
        "CPU 1 and its SMT sibling lie in two L3 groups");

  auto across = description({"0", "1"}, {"0-1"}, {"0", "1"});
  across.links = {link(0, 1, 10)};
  CHECK(refusal(across) == "the L3 group of CPU 1 lies in two nodes");

  const auto island = description({"0", "1"}, {"0", "1"}, {"0", "1"});
  CHECK(refusal(island) == "no link leads from node 0 to node 1");
  auto beyond = island;
  beyond.links = {link(0, 1, 10), link(0, 2, 10)};
  CHECK(refusal(beyond) == "a link to node 2, which the machine lacks");
}

TEST_CASE("a machine file is refused at the place of the contradiction") {
  nlohmann::json json = TestMachine{}.nodes(2).json();
  json["topology"]["links"] = nlohmann::json::array();
  const Document unlinked("machine.json", json);
  CHECK(message_of([&] {
          Machine machine(unlinked.cursor());
        }).find("/topology: found no link leads from node 0 to node 1") != std::string::npos);

  json = TestMachine{}.threads_per_core(2).json();
  json["smt_speed"] = nlohmann::json::array();
  const Document speedless("machine.json", json);
  CHECK(message_of([&] { Machine machine(speedless.cursor()); }).find("/smt_speed") !=
        std::string::npos);
}

TEST_CASE("a cycle lasts as the clock says") {
  CHECK(TestMachine{}.machine().cycles(24) == nanoseconds(24));  // at 1 GHz
  nlohmann::json json = TestMachine{}.json();
  json["clock"]["value"] = 2.5;
  CHECK(Machine(Document("machine.json", json).cursor()).cycles(5) == nanoseconds(2));
}
