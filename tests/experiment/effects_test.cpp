// Effects that the mail threads report, in their order and without their numbers.

#include <doctest/doctest.h>

#include "futexsim/experiment/point.hpp"

using namespace futexsim;

namespace {

double rate(const char* machine, const char* kernel, const nlohmann::json& policy,
            std::uint32_t threads) {
  static const Catalogue catalogue(FUTEXSIM_SOURCE_DIR "/configs");
  const nlohmann::json config{{"machine", machine},
                              {"kernel", kernel},
                              {"policy", policy},
                              {"precision", 0.05},
                              {"workload", {{"name", "futex-hash"}, {"threads", threads}}}};
  return simulate(Point(Document("effect", config).cursor(), catalogue)).measured.mean;
}

}  // namespace

TEST_CASE("packed buckets are worse than aligned ones") {
  // 2013: three locks share a line, and so do those who want different ones.
  const auto table = [](bool aligned) {
    return rate("80core-2013", "v3.12",
                {{"name", "global"}, {"buckets", 256}, {"aligned", aligned}}, 128);
  };
  CHECK(table(false) < 0.9 * table(true));
}

TEST_CASE("a shared counter collapses: more threads get less done, all together") {
  const auto total = [](const char* policy, std::uint32_t threads) {
    return threads * rate("e5-2650", "2025-series", {{"name", policy}, {"buckets", 8192}}, threads);
  };
  CHECK(total("resizable", 32) < total("resizable", 4));
  // 16 cores whose siblings leave each other 0.6: 19 cores for 4, less what lines travel.
  CHECK(total("immutable", 32) > 3 * total("immutable", 4));
}
