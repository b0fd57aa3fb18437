#include "futexsim/experiment/perf_futex.hpp"

#include <doctest/doctest.h>

#include "../parts/message_of.hpp"

using namespace futexsim;

namespace {

const Catalogue& catalogue() {
  static const Catalogue shipped(FUTEXSIM_SOURCE_DIR "/configs");
  return shipped;
}

const PerfBenchmark& benchmark() {
  return *perf_benchmarks().front();
}

Point hash_point(const PerfFutexOptions& options) {
  return benchmark().point(options, catalogue());
}

std::string report(const PerfFutexOptions& options, const Point& point, const PointResult& result) {
  return perf_title(benchmark()) + benchmark().heading(options, point) +
         benchmark().findings(options, point, result);
}

/// The line that says what is run.
std::string summary(const PerfFutexOptions& options) {
  return benchmark().heading(options, hash_point(options));
}

nlohmann::json policy(const PerfFutexOptions& options) {
  return hash_point(options).resolved().at("policy");
}

std::string refusal(const PerfFutexOptions& options) {
  return message_of([&] { hash_point(options); });
}

nlohmann::json choice(const char* name, int buckets) {
  return {{"name", name}, {"buckets", buckets}};
}

}  // namespace

TEST_CASE("-t 0 is every CPU of the placement") {
  CHECK(hash_point({}).threads() == 32);
  CHECK(hash_point({.placement = "node1"}).threads() == 16);
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
  const PerfFutexOptions options{.threads = 2,
                                 .futexes = 8,
                                 .buckets = 16,
                                 .kernel = "2025-series",
                                 .seed = 7,
                                 .precision = 1};
  const Point point = hash_point(options);
  PointResult result;
  result.measured = {1234567.9, 10};
  result.plus_minus_pct = 0.256;
  result.threads = {{0x1000, 0x101c, 11.9}, {0x2010, 0x202c, 12}};
  CHECK(report(options, point, result) ==
        "# Running 'futex/hash' benchmark:\n"
        "Run summary [PID 7]: 2 threads, each operating on 8 [private] futexes for 10 secs.\n\n"
        "[thread  0] futexes: 0x1000 ... 0x101c [ 11 ops/sec ]\n"
        "[thread  1] futexes: 0x2010 ... 0x202c [ 12 ops/sec ]\n\n"
        "Averaged 1234567 operations/sec (+- 0.26%), total secs = 10\n"
        "Futex hashing: 16 hash buckets \n");
}

TEST_CASE("-b asks by prctl where perf's is the kernel's, and fails in perf's words") {
  const std::string failed = "-b: found \"Requesting 3 hash buckets failed: -1/Invalid argument\"";
  CHECK(refusal({.buckets = 3, .kernel = "2025-series"}).starts_with(failed));
  CHECK(refusal({.buckets = 3, .kernel = "v6.17"}).starts_with(failed));
  CHECK(refusal({.buckets = 1, .kernel = "v6.17"}).find("Requesting 1 hash") != std::string::npos);
  CHECK(refusal({.buckets = 64, .immutable = true, .kernel = "v6.17"}).find("Requesting 64 hash") !=
        std::string::npos);
  CHECK(refusal({.buckets = 64, .kernel = "v6.16"}).find("Invalid argument") != std::string::npos);
  CHECK(refusal({.buckets = 0, .kernel = "v6.16"}).find("Requesting 0 hash") != std::string::npos);
  CHECK(policy({.buckets = 64, .kernel = "v6.17"}) == choice("percpu", 64));
  CHECK(policy({.kernel = "v6.16"}) == choice("global-per-node", 4096));
}

TEST_CASE("what perf's process has by itself depends on its threads") {
  CHECK(policy({.threads = 4, .kernel = "v6.17"}) == choice("percpu", 16));
  CHECK(policy({.threads = 5, .kernel = "v6.17"}) == choice("percpu", 32));
  CHECK(policy({.threads = 17, .kernel = "v7.2"}) == choice("percpu", 128));
  CHECK(policy({.threads = 1000, .kernel = "v7.2"}) == choice("percpu", 128));
  CHECK(policy({.kernel = "2016-rfc"}) == choice("private", 8));
  CHECK(policy({.kernel = "v3.12"}) == choice("global", 256));
}

TEST_CASE("a table that isn't as asked for is reported in perf's words") {
  const PerfFutexOptions options{.threads = 1, .buckets = 16, .silent = true, .kernel = "v6.17"};
  const Point point = hash_point(options);
  PointResult result;
  const auto last_lines = [&] {
    const std::string findings = benchmark().findings(options, point, result);
    return findings.substr(findings.find("secs = 10\n") + 10);
  };
  CHECK(last_lines() == "Futex hashing: 16 hash buckets \n");
  result.table.emplace().buckets = 64;
  CHECK(last_lines() ==
        "Requested number of hash buckets does not currently used.\n"
        "Requested: 16 in usage: 64\n");
}

TEST_CASE("the 2024 RFC's summary names the slots, a global table's below zero") {
  CHECK(summary({.threads = 2, .buckets = 16}) ==
        "Run summary [PID 1]: 2 threads, hash slots: 16 each operating on 1024 [private] futexes "
        "for 10 secs.\n\n");
  CHECK(summary({.threads = 2, .buckets = 0, .machine = "epyc-7713"})
            .find("hash slots: -65536 each") != std::string::npos);
  const PerfFutexOptions options{.threads = 2, .silent = true};
  PointResult result;
  result.measured = {5, 1};
  CHECK(benchmark().findings(options, hash_point(options), result) ==
        "Averaged 5 operations/sec (+- 0.00%), total secs = 10\n");
}

TEST_CASE("the 2016 RFC binds to a node, and rounds the slots that are asked for up") {
  const PerfFutexOptions asked{.threads = 2, .node = 1, .slots = 20, .kernel = "2016-rfc"};
  CHECK(hash_point(asked).resolved().at("workload").at("placement") == "node1");
  CHECK(policy(asked) == choice("private", 32));
  CHECK(
      summary(asked) ==
      "Run summary [PID 1]: 2 threads on node 1, each operating on 1024 [private P 20 32] futexes "
      "for 10 secs.\n\n");
  CHECK(policy({.threads = 2, .slots = 1, .kernel = "2016-rfc"}) == choice("private", 4));
  CHECK(policy({.threads = 2, .slots = 1000, .kernel = "2016-rfc"}) == choice("private", 256));
  CHECK(refusal({.node = 1}) ==
        "-n: found kernel \"2024-rfc-v2\"; allowed: a kernel whose perf has it: \"2016-rfc\"");
  CHECK(refusal({.slots = 8, .kernel = "2025-series"}).starts_with("-p: found kernel"));
  CHECK(refusal({.buckets = 8, .slots = 8, .kernel = "2016-rfc"}).starts_with("-p: found -b"));
  CHECK(refusal({.node = 0, .kernel = "2016-rfc", .placement = "all"}).starts_with("-n: found"));
}
