// Unrelated processes on one machine: what a result about the first group says, and how long it
// waits because of the others.

#include <doctest/doctest.h>

#include "../parts/message_of.hpp"
#include "futexsim/experiment/point.hpp"
#include "futexsim/experiment/result_row.hpp"

using namespace futexsim;

namespace {

nlohmann::json group(const char* name, const char* cpus) {
  return {{"name", name}, {"cpus", cpus}, {"futexes_per_thread", 16}};
}

nlohmann::json real_time() {
  nlohmann::json out = group("real-time", "0");
  out.update({{"think_ns", 2000}, {"priority", 50}});
  return out;
}

/// A process of eight threads on one futex.
nlohmann::json hammer() {
  nlohmann::json out = group("hammer", "1-8");
  out.update({{"threads", 8}, {"futexes_per_thread", 1}, {"common_futexes", true}});
  return out;
}

const Catalogue& shipped() {
  static const Catalogue shipped(FUTEXSIM_SOURCE_DIR "/configs");
  return shipped;
}

Point unsized(const std::vector<nlohmann::json>& groups) {
  const nlohmann::json config{{"machine", "e5-2650"},
                              {"kernel", "v6.17"},
                              {"policy", "percpu"},
                              {"workload", {{"name", "neighbours"}, {"groups", groups}}},
                              {"precision", 0.5}};
  return {Document("config", config).cursor(), shipped()};
}

Point point(const std::vector<nlohmann::json>& groups, const char* policy = "private",
            std::uint32_t buckets = 16, const char* kernel = "2024-rfc-v2") {
  const nlohmann::json config{{"machine", "e5-2650"},
                              {"kernel", kernel},
                              {"policy", {{"name", policy}, {"buckets", buckets}}},
                              {"workload", {{"name", "neighbours"}, {"groups", groups}}},
                              {"precision", 0.5}};
  return {Document("config", config).cursor(), shipped()};
}

std::string refusal(const std::vector<nlohmann::json>& groups) {
  return message_of([&] { point(groups); });
}

}  // namespace

TEST_CASE("threads of a group go to its CPUs in turn; an idle one has processes but no threads") {
  nlohmann::json crowd = group("crowd", "8,1-2");
  crowd.update({{"processes", 2}, {"threads", 2}, {"priority", 7}});
  nlohmann::json idle = group("idle", "8");
  idle.update({{"processes", 3}, {"threads", 5}, {"idle", true}});
  const Placement placement = point({real_time(), crowd, idle}).placement();
  std::vector<std::uint32_t> processes, cpus, priorities;
  for (const Placement::ThreadPlace& thread : placement.threads) {
    processes.push_back(thread.process);
    cpus.push_back(thread.cpu.value);
    priorities.push_back(thread.priority);
  }
  CHECK(processes == std::vector<std::uint32_t>{0, 1, 1, 2, 2});
  CHECK(cpus == std::vector<std::uint32_t>{0, 8, 1, 2, 8});
  CHECK(priorities == std::vector<std::uint32_t>{50, 7, 7, 7, 7});
  CHECK(placement.main_nodes ==
        std::vector<NodeId>{{0}, {1}, {0}, {1}, {1}, {1}});  // CPUs 8-15 are node 1
  CHECK(placement.measured() == 1);
  CHECK(placement.groups[2].first_process == 3);
}

TEST_CASE("rates and lengths of runs are the first group's, waits are told apart") {
  const Point alone = point({real_time()});
  const Point with_others = point({real_time(), hammer()});
  const PointResult result = simulate(with_others);
  CHECK(result.operations / result.replications == 8000);
  CHECK(result.threads.size() == 1);
  // 2000 ns of thought on average, and an operation of some 250.
  CHECK(result.measured.mean == doctest::Approx(1e9 / 2250).epsilon(0.03));
  CHECK(result.group_waits.size() == 2);
  CHECK(result.group_waits[0].count() == doctest::Approx(6400 * result.replications).epsilon(0.01));
  CHECK(result.group_waits[1].count() > result.group_waits[0].count());
  CHECK(result.waits.count() == result.group_waits[0].count() + result.group_waits[1].count());
  CHECK(simulate(alone).group_waits[0].max() < 50'000);  // nobody else: 50 ns
}

TEST_CASE("an unrelated process in the same bucket lengthens the wait, unless tables are private") {
  for (const char* const kernel : {"2024-rfc-v2", "2025-series-rt"}) {
    CAPTURE(kernel);
    const bool rt = kernel == std::string("2025-series-rt");
    const auto waits = [&](const char* policy, std::uint32_t buckets) {
      return simulate(point({real_time(), hammer()}, policy, buckets, kernel)).group_waits[0];
    };
    // One bucket: every futex is in it.
    const WaitHistogram global = waits(rt ? "global-per-node" : "global", 1);
    const WaitHistogram own = waits(rt ? "immutable" : "private", 1);
    CHECK(global.p999() > 10 * own.p999());
    CHECK(global.max() > 10 * own.max());
    CHECK(own.max() < 100'000);
  }
}

TEST_CASE("a row has the waits of each group, and with a histogram every one of them") {
  nlohmann::json idle = group("idle", "9");
  idle["idle"] = true;
  const Point with_others = point({real_time(), hammer(), idle});
  const PointResult result = simulate(with_others);
  const nlohmann::ordered_json row = result_row(with_others, result);
  const nlohmann::ordered_json& groups = row.at("wait_ns_by_group");
  CHECK(groups.at("hammer").at("count") == result.group_waits[1].count());
  CHECK(groups.at("hammer").at("p99") == static_cast<double>(result.group_waits[1].p99()) / 1000);
  CHECK(groups.at("idle") == nlohmann::ordered_json{{"count", 0}});
  CHECK_FALSE(row.at("wait_ns").contains("histogram"));

  const nlohmann::ordered_json full = result_row(with_others, result, false, true);
  std::uint64_t count = 0;
  for (const auto& bin : full.at("wait_ns_by_group").at("real-time").at("histogram")) {
    count += bin.at(1).get<std::uint64_t>();
  }
  CHECK(count == result.group_waits[0].count());
  CHECK(full.at("wait_ns").at("histogram").back().at(0) == full.at("wait_ns").at("max"));
}

TEST_CASE("tables that nobody asked for are sized process by process") {
  nlohmann::json crowd = group("crowd", "1-15");
  crowd["threads"] = 30;
  const auto policy = [](const std::vector<nlohmann::json>& groups) {
    return unsized(groups).resolved().at("policy");
  };
  CHECK(policy({real_time()}) == nlohmann::json{{"name", "percpu"}, {"buckets", 16}});
  CHECK(policy({crowd}) == nlohmann::json{{"name", "percpu"}, {"buckets", 128}});
  // Its own number for each: none for all.
  CHECK_FALSE(policy({real_time(), crowd}).contains("buckets"));
  const Point point = unsized({real_time(), crowd});
  const Point again(Document("config", point.resolved()).cursor(), shipped());
  CHECK(simulate(point).trace_hash == simulate(again).trace_hash);
}

TEST_CASE("an idle crowd costs nothing") {
  nlohmann::json idle = group("idle", "1-15");
  idle.update({{"processes", 50}, {"idle", true}});
  const PointResult result = simulate(point({real_time(), idle}));
  CHECK(result.group_waits[1].count() == 0);
  CHECK(result.measured.mean ==
        doctest::Approx(simulate(point({real_time()})).measured.mean).epsilon(0.01));
}

TEST_CASE("a real-time thread leaves nothing of its CPU to others") {
  nlohmann::json other = group("other", "0");
  const PointResult result = simulate(point({real_time(), other}));
  CHECK(result.group_waits[1].count() == 0);
}

TEST_CASE("what a config can't mean") {
  CHECK(refusal({}).find("groups") != std::string::npos);
  CHECK(refusal({real_time(), real_time()}).find("a name that no other group has") !=
        std::string::npos);
  for (const char* const cpus : {"0-32", "x", "", "3-1"}) {
    CAPTURE(cpus);
    CHECK(refusal({group("a", cpus)}).find("0-31") != std::string::npos);
  }
  nlohmann::json idle = real_time();
  idle["idle"] = true;
  CHECK(refusal({idle}).find("results are about this group") != std::string::npos);
  nlohmann::json crowd = hammer();
  crowd["processes"] = 4096;
  crowd["threads"] = 17;
  CHECK(refusal({real_time(), crowd}).find("at most 65536") != std::string::npos);
}
