#include "futexsim/experiment/perf_hash.hpp"

#include <doctest/doctest.h>

#include "../parts/message_of.hpp"
#include "futexsim/kernel/sizing.hpp"

using namespace futexsim;

namespace {

const Catalogue& catalogue() {
  static const Catalogue shipped(FUTEXSIM_SOURCE_DIR "/configs");
  return shipped;
}

nlohmann::json policy(const PerfHashOptions& options) {
  return perf_hash_point(options, catalogue()).resolved().at("policy");
}

std::string refusal(const PerfHashOptions& options) {
  return message_of([&] { perf_hash_point(options, catalogue()); });
}

nlohmann::json choice(const char* name, int buckets) {
  return {{"name", name}, {"buckets", buckets}};
}

}  // namespace

TEST_CASE("-t 0 is every CPU of the placement") {
  CHECK(perf_hash_point({}, catalogue()).threads() == 32);
  CHECK(perf_hash_point({.placement = "node1"}, catalogue()).threads() == 16);
}

TEST_CASE("-b and -I choose among the policies of the kernel") {
  CHECK(policy({.buckets = 64}) == choice("private", 64));
  CHECK(policy({.buckets = 64, .kernel = "2025-series"}) == choice("resizable", 64));
  CHECK(policy({.buckets = 64, .immutable = true, .kernel = "2025-series"}) ==
        choice("immutable", 64));
  CHECK(policy({.buckets = 0}) == choice("global", 8192));
  CHECK(policy({.buckets = 0, .kernel = "2025-series"}) == choice("global-per-node", 4096));
}

TEST_CASE("-b -1 is what the kernel does by itself") {
  CHECK(policy({}) == choice("private", 4));
  CHECK(policy({.kernel = "before-2025"}) == choice("global", 8192));
  CHECK(policy({.kernel = "2025-series"}) == choice("resizable", 128));
  CHECK(policy({.threads = 2, .kernel = "2025-series"}) == choice("resizable", 16));
}

TEST_CASE("options that contradict each other or the kernel are refused") {
  CHECK(refusal({.buckets = -2}).starts_with("-b: found -2"));
  CHECK(refusal({.immutable = true, .kernel = "2025-series"}).starts_with("-I: found no number"));
  CHECK(refusal({.buckets = 8, .immutable = true}) ==
        "-I: found kernel \"2024-rfc-v2\"; allowed: a kernel that has immutable tables: "
        "\"2025-series\", \"2025-series-rt\"");
  CHECK(refusal({.buckets = 8, .kernel = "before-2025"}).starts_with("-b: found kernel"));
  CHECK(refusal({.buckets = 8, .policy = "global"}).starts_with("--policy: found \"global\""));
  CHECK(refusal({.buckets = 0, .policy = "private"}).starts_with("--policy: found \"private\""));
  CHECK(refusal({.policy = "resizable"}).starts_with("--policy: /policy: found"));
  CHECK(refusal({.buckets = 3}).starts_with("--buckets: /policy/buckets: found the number 3"));
  CHECK(refusal({.threads = 65537})
            .starts_with("--threads: /workload/threads: found the number 65537"));
  CHECK(refusal({.machine = "e5-2560"}).find("did you mean \"e5-2650\"?") != std::string::npos);
}

TEST_CASE("the report has perf's lines") {
  const PerfHashOptions options{
      .threads = 2, .futexes = 8, .buckets = 16, .seed = 7, .precision = 1};
  const Point point = perf_hash_point(options, catalogue());
  PointResult result;
  result.ops_per_sec_per_thread = {1234567.9, 10};
  result.plus_minus_pct = 0.256;
  result.threads = {{0x1000, 0x101c, 11.9}, {0x2010, 0x202c, 12}};
  CHECK(perf_hash_report(options, point, result) ==
        "# Running 'futex/hash' benchmark:\n"
        "Run summary [PID 7]: 2 threads, each operating on 8 [private] futexes for 10 secs.\n\n"
        "[thread  0] futexes: 0x1000 ... 0x101c [ 11 ops/sec ]\n"
        "[thread  1] futexes: 0x2010 ... 0x202c [ 12 ops/sec ]\n\n"
        "Averaged 1234567 operations/sec (+- 0.26%), total secs = 10\n"
        "Futex hashing: 16 hash buckets \n");
}

TEST_CASE("sizes that kernels choose, as published tables state them") {
  // One thread on each of 32 CPUs in two nodes.
  const auto machine = catalogue().machine(Document("t", "e5-2650").cursor());
  const Topology& e5 = machine->topology();
  CHECK(automatic_buckets("global", 32, e5) == 8192);
  CHECK(automatic_buckets("global-per-node", 32, e5) == 4096);
  CHECK(automatic_buckets("resizable", 32, e5) == 128);
  CHECK(automatic_buckets("resizable", 17, e5) == 128);
  CHECK(automatic_buckets("resizable", 1000, e5) == 128);
  CHECK(automatic_buckets("resizable", 1, e5) == 16);
}
