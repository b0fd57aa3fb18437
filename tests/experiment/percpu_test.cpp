#include <doctest/doctest.h>

#include <string>

#include "futexsim/experiment/point.hpp"

namespace futexsim {
namespace {

const Catalogue& catalogue() {
  static const Catalogue shipped(FUTEXSIM_SOURCE_DIR "/configs");
  return shipped;
}

double rate(const std::string& machine, const std::string& kernel, const std::string& policy,
            std::uint32_t buckets = 1024) {
  const nlohmann::json config{
      {"machine", machine},
      {"kernel", kernel},
      {"precision", 0.02},
      {"policy", {{"name", policy}, {"buckets", buckets}}},
      {"workload", {{"name", "futex-hash"}, {"threads", 32}, {"placement", "all"}}}};
  return simulate(Point(Document("percpu", config).cursor(), catalogue())).measured.mean;
}

}  // namespace

TEST_CASE("per-CPU counting near immutable") {
  // v6.17 restored what counting on one line had cost; a gap of some 10 % was left, which per-CPU
  // counting without RCU halved later.
  for (const std::string machine : {"e5-2650", "epyc-7713"}) {
    CAPTURE(machine);
    const double immutable = rate(machine, "2025-series", "immutable");
    const double percpu = rate(machine, "v6.17", "percpu");
    const double resizable = rate(machine, "2025-series", "resizable");
    CHECK(percpu > 0.9 * immutable);
    CHECK(percpu < 1.01 * immutable);
    CHECK(resizable < 0.7 * percpu);
  }
}

TEST_CASE("per-node global near global") {
  // Each thread has hundreds of buckets for itself, half of them on its node either way.
  const double global = rate("e5-2650", "before-2025", "global", 8192);
  const double per_node = rate("e5-2650", "v6.16", "global-per-node", 4096);
  CHECK(per_node == doctest::Approx(global).epsilon(0.05));
}

TEST_CASE("a row says what became of a table that is to be replaced") {
  const auto table = [](std::uint32_t threads) {
    const nlohmann::json config{
        {"machine", "epyc-7713"},
        {"kernel", "v6.17"},
        {"precision", 1},
        {"least_us", 11'000},
        {"policy",
         {{"name", "percpu"}, {"buckets", 16}, {"resize", {{"buckets", 1024}, {"at_us", 100}}}}},
        {"workload", {{"name", "futex-hash"}, {"threads", threads}, {"placement", "all"}}}};
    return simulate(Point(Document("resize", config).cursor(), catalogue())).table.value();
  };
  const TableReplacement two = table(2);
  CHECK(two.buckets == 1024);
  CHECK(two.replacements >= 2);
  CHECK(two.at_ns.mean() > 10'100'000);     // the grace period of the kernel's file: 10 ms
  const TableReplacement all = table(240);  // starved: somebody is always inside
  CHECK(all.buckets == 16);
  CHECK(all.replacements == 0);
}

TEST_CASE("a policy without buckets has as many as its kernel gives") {
  const auto policy = [](const char* kernel, const char* name, std::uint32_t threads,
                         const char* workload = "futex-hash") {
    const nlohmann::json config{{"machine", "e5-2650"},
                                {"kernel", kernel},
                                {"policy", name},
                                {"workload", {{"name", workload}, {"threads", threads}}}};
    return Point(Document("automatic", config).cursor(), catalogue()).resolved().at("policy");
  };
  CHECK(policy("v6.17", "percpu", 5) == nlohmann::json{{"name", "percpu"}, {"buckets", 32}});
  // 5 threads that block and 5 that wake.
  CHECK(policy("v6.17", "percpu", 5, "futex-wake-parallel").at("buckets") == 64);
  CHECK(policy("v6.17", "global-per-node", 5).at("buckets") == 4096);
  CHECK(policy("before-2025", "global", 5).at("buckets") == 8192);
}

TEST_CASE("futexes that name their node hash into its part of the global table") {
  const auto transfers_between_nodes = [](bool numa) {
    const nlohmann::json config{
        {"machine", "e5-2650"},
        {"kernel", "v6.17"},
        {"precision", 1},
        {"policy", {{"name", "global-per-node"}, {"buckets", 64}}},
        {"workload",
         {{"name", "futex-hash"}, {"threads", 32}, {"placement", "all"}, {"futex2_numa", numa}}}};
    return simulate(Point(Document("numa", config).cursor(), catalogue()))
        .explanation.transfers[static_cast<std::size_t>(Distance::other_node)];
  };
  // No bucket's line ever leaves its node.
  CHECK(transfers_between_nodes(true) == 0);
  CHECK(transfers_between_nodes(false) > 0.5);
}

}  // namespace futexsim
