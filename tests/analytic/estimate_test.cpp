#include "futexsim/experiment/analytic_estimate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "../experiment/scratch_folder.hpp"
#include "futexsim/analytic/large_table.hpp"
#include "futexsim/analytic/mean_value_analysis.hpp"
#include "futexsim/experiment/published_table.hpp"
#include "futexsim/experiment/result_row.hpp"
#include "futexsim/parts/csv_table.hpp"

using namespace futexsim;

namespace {

const Catalogue& catalogue() {
  static const Catalogue shipped(FUTEXSIM_SOURCE_DIR "/configs");
  return shipped;
}

Point point(const std::string& machine, std::uint32_t threads, std::uint32_t buckets,
            const std::string& placement = "all", const std::string& kernel = "2024-rfc-v2",
            const std::string& policy = "private") {
  const nlohmann::json config = {
      {"machine", machine},
      {"kernel", kernel},
      {"policy", {{"name", policy}, {"buckets", buckets}}},
      {"workload", {{"name", "futex-hash"}, {"threads", threads}, {"placement", placement}}},
      {"precision", 0.01}};
  return {Document("config", config).cursor(), catalogue()};
}

/// A number of a shipped machine's file.
double number(const std::string& machine, const std::string& pointer) {
  const std::string file = FUTEXSIM_SOURCE_DIR "/configs/machines/" + machine + ".json";
  return Document::read(file)
      .root()
      .at(nlohmann::json::json_pointer(pointer + "/value"))
      .get<double>();
}

const double e5_same_l3 = number("e5-2650", "/memory/same_l3");
const double e5_crossing = number("e5-2650", "/topology/links/0/one_way");
/// With 24 cycles of the hash at 2.4 GHz.
const double e5_think = number("e5-2650", "/paths/futex_wait") + 10;
const double e5_critical_section = number("e5-2650", "/paths/critical_section");
/// With 3 atomics of 8 ns and a store of 1 ns.
const double e5_lone_service = e5_critical_section + 25;

/// A point of the E5 in which one of its files was changed.
template <class Change>
Point on_changed(const std::string& file, Change change, std::uint32_t threads,
                 std::uint32_t buckets) {
  nlohmann::json changed = Document::read(FUTEXSIM_SOURCE_DIR "/configs/" + file).cursor().value();
  change(changed);
  const ScratchFolder folder;
  const std::string path = folder / "changed.json";
  std::ofstream(path) << changed.dump();
  nlohmann::json config = {{"machine", "e5-2650"},
                           {"kernel", "2024-rfc-v2"},
                           {"policy", {{"name", "private"}, {"buckets", buckets}}},
                           {"workload", {{"name", "futex-hash"}, {"threads", threads}}}};
  config[file.substr(0, file.find('/') - 1)] = path;
  return {Document("config", config).cursor(), catalogue()};
}

double error_of(const Point& point) {
  return estimate(point).ops_per_sec_per_thread / simulate(point).measured.mean - 1;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

TEST_CASE("one thread on the E5: its path, its hash, and the bucket's steps") {
  // It meets nobody.
  const Estimate alone = estimate(point("e5-2650", 1, 16));
  CHECK(alone.think == doctest::Approx(e5_think));
  CHECK(alone.lone_service == doctest::Approx(e5_lone_service));
  CHECK(alone.transfer == 0);
  CHECK(alone.ops_per_sec_per_thread == doctest::Approx(1e9 / (e5_think + e5_lone_service)));
}

TEST_CASE("8 threads on 8 cores below one L3 of the E5: every transfer is same_l3") {
  const Estimate node = estimate(point("e5-2650", 8, 2, "node0"));
  CHECK(node.transfer == doctest::Approx(e5_same_l3));
  // Arrival, unlock and read, the upgrade at 0.6 of a transfer, the critical section.
  CHECK(node.pending_service == doctest::Approx(3.6 * e5_same_l3 + e5_critical_section));
  // waiters++, cmpxchg, look, xchg, head's read, set_locked. An atomic of 8 ns outlasts a shorter
  // window, or fits into it, and then cmpxchg finds the line of waiters++.
  const bool outlasts = number("e5-2650", "/memory/hold_window") < 8;
  CHECK(node.queued_service == doctest::Approx((outlasts ? 6 : 5) * e5_same_l3));
}

TEST_CASE("8 threads of one CCX of the EPYC: an atomic of 7 ns fits into a window of 9") {
  const Estimate ccx = estimate(point("epyc-7713", 8, 2));
  CHECK(ccx.transfer == doctest::Approx(22.7));
  CHECK(ccx.queued_service == doctest::Approx(5 * 22.7));
}

TEST_CASE("16 threads on 16 cores of the E5, two sockets: 7 of 15 others are near") {
  const Estimate both = estimate(point("e5-2650", 16, 2));
  CHECK(both.transfer ==
        doctest::Approx((7 * e5_same_l3 + 8 * (e5_same_l3 + 2 * e5_crossing)) / 15));
}

TEST_CASE("two siblings share a line for nothing, and slow each other") {
  // CPUs 0 and 16 of the E5, as a machine of one core. Both mostly compute, at smt_speed.
  const Estimate pair = estimate(on_changed(
      "machines/e5-2650.json",
      [](nlohmann::json& machine) {
        machine["topology"] = {
            {"source", "test"}, {"nodes", {"0,16"}}, {"smt_sibling_distance", 16}};
      },
      2, 1024));
  CHECK(pair.transfer == 0);
  CHECK(pair.think == doctest::Approx(e5_think / number("e5-2650", "/smt_speed/0")).epsilon(0.01));
}

TEST_CASE("far from any queue the estimate is T = b + (1 - P) X") {
  const Estimate sparse = estimate(point("e5-2650", 16, 1 << 20));
  const double kept = kept_probability(1024, 16, 1 << 20);
  CHECK(sparse.kept == kept);
  CHECK(1e9 / sparse.ops_per_sec_per_thread ==
        doctest::Approx(uncontended_time(e5_think + e5_lone_service, kept, sparse.transfer))
            .epsilon(1e-4));
}

TEST_CASE("lines of a table larger than the directory caches take a miss more often") {
  CHECK(estimate(point("e7-8890-v3", 140, 8192)).transfer ==
        doctest::Approx(estimate(point("e7-8890-v3", 140, 4096)).transfer));
  // Half of 16384 lines are known. A miss costs directory_miss, at each transfer between sockets.
  const double small = estimate(point("e7-8890-v3", 140, 8192)).transfer;
  const double twice = estimate(point("e7-8890-v3", 140, 16384)).transfer;
  const double four = estimate(point("e7-8890-v3", 140, 32768)).transfer;
  CHECK(four - small == doctest::Approx(1.5 * (twice - small)));
  CHECK(twice - small ==
        doctest::Approx(number("e7-8890-v3", "/protocol/directory_miss") * 0.5 * 0.755)
            .epsilon(0.01));
}

TEST_CASE("more buckets are never slower, up to the directory cache") {
  for (const char* machine : {"e5-2650", "e7-8890-v3", "epyc-7713"}) {
    double last = 0;
    for (std::uint32_t buckets = 1; buckets <= 8192; buckets *= 2) {
      const double now = estimate(point(machine, 32, buckets)).ops_per_sec_per_thread;
      CHECK(now > last);
      last = now;
    }
  }
}

TEST_CASE("large tables: within 2 % of the simulation, in the median 1 %") {
  std::vector<double> errors;
  for (const std::uint32_t buckets : {1024U, 4096U, 16384U}) {
    errors.push_back(std::abs(error_of(point("e5-2650", 28, buckets))));
    errors.push_back(std::abs(error_of(point("e7-8890-v3", 34, buckets, "node0"))));
    errors.push_back(
        std::abs(error_of(point("e7-8890-v3", 140, buckets == 1024 ? 8192 : buckets))));
  }
  for (const double error : errors) CHECK(error < 0.02);
  CHECK(median(errors) < 0.01);
}

TEST_CASE("few buckets: within 12 % of the simulation, where constant service is out by a factor") {
  for (const char* machine : {"e5-2650", "epyc-7713"}) {
    const Point crowded = point(machine, 28, 2);
    CHECK(std::abs(error_of(crowded)) < 0.12);
  }
  const Point crowded = point("e5-2650", 28, 2);
  const Estimate derived = estimate(crowded);
  const double constant =
      mean_value_analysis({.customers = 28,
                           .delay = derived.think,
                           .classes = {{.stations = 2, .service = {derived.lone_service}}}})
          .throughput;
  CHECK(1e9 * constant / 28 > 2.5 * simulate(crowded).measured.mean);
}

TEST_CASE("published large tables: median error below 5 %") {
  std::vector<double> errors;
  for (const char* table : {"e5-28", "e7-140"}) {
    const std::string file =
        std::string(FUTEXSIM_SOURCE_DIR "/configs/published/") + table + ".csv";
    for (const PublishedTable& published : read_published(file, catalogue(), {})) {
      for (const PublishedRow& row : published.rows) {
        if (!row.point || !row.ops_per_sec_per_thread) continue;
        const Estimate found = estimate(*row.point);
        if (found.waiting * found.ops_per_sec_per_thread > 1e8) continue;
        errors.push_back(std::abs(found.ops_per_sec_per_thread / *row.ops_per_sec_per_thread - 1));
      }
    }
  }
  REQUIRE(errors.size() > 10);
  CHECK(median(errors) < 0.05);
}

TEST_CASE("a counter's line costs more than all buckets together") {
  const auto rate = [](const char* policy) {
    return estimate(point("epyc-7713", 250, 65536, "all", "2025-series", policy))
        .ops_per_sec_per_thread;
  };
  CHECK(rate("resizable") < 0.1 * rate("immutable"));
}

TEST_CASE("a row of an estimate has what simulations alone know as null, and its expected error") {
  const Point some = point("e5-2650", 28, 64);
  const nlohmann::ordered_json row = estimate_row(some, estimate(some));
  CHECK(row.at("method") == "analytic");
  CHECK(row.at("ops_per_sec_per_thread").is_number());
  for (const char* key : {"trace_hash", "half_width", "precise", "events", "operations"}) {
    CHECK(row.at(key).is_null());
  }
  CHECK(row_text(row).find("Estimates, not simulated") != std::string::npos);
  CHECK(row.at("/estimate/error_against_simulation/worst"_json_pointer) >= 0.05);
}

TEST_CASE("buckets that share lines are refused in one line") {
  const Point unaligned = on_changed(
      "kernels/2024-rfc-v2.json",
      [](nlohmann::json& kernel) {
        kernel["bucket"]["bytes"] = 32;
        kernel["bucket"]["cacheline_aligned"] = false;
      },
      2, 64);
  std::string message;
  try {
    estimate(unaligned);
  } catch (const InputError& error) {
    message = error.what();
  }
  CHECK(message.find("--method analytic with buckets that share lines") != std::string::npos);
  CHECK(message.find("--method simulation") != std::string::npos);
}

TEST_CASE("published rows: estimates are as far from the simulation as they say") {
  const std::string configs = FUTEXSIM_SOURCE_DIR "/configs";
  const CsvTable simulated = CsvTable::read(configs + "/validated.csv");
  std::map<double, std::vector<double>> errors;  // by the worst that the estimate's class states
  std::map<double, double> stated_median;
  std::size_t index = 0;
  for (const PublishedTable& table : read_published(configs + "/published", catalogue(), {})) {
    for (const PublishedRow& row : table.rows) {
      const CsvTable::Row same = simulated.row(index++);
      REQUIRE(same.text("table") == table.name);
      Estimate found;
      try {
        found = estimate(row.point.value());
      } catch (const InputError&) {
        continue;  // another lock, several threads a CPU: refused
      }
      errors[found.error.worst].push_back(
          std::abs(found.ops_per_sec_per_thread / same.number("simulated") - 1));
      stated_median[found.error.worst] = found.error.median;
    }
  }
  CHECK(errors.size() == 3);
  for (const auto& error : errors) {  // clang 14 captures no structured bindings
    const double stated = error.first;
    const std::vector<double>& of_class = error.second;
    CAPTURE(stated);
    CAPTURE(of_class.size());
    CAPTURE(median(of_class));
    CAPTURE(*std::max_element(of_class.begin(), of_class.end()));
    CHECK(*std::max_element(of_class.begin(), of_class.end()) ==
          doctest::Approx(stated).epsilon(0.1).scale(0));
    CHECK(median(of_class) == doctest::Approx(stated_median[stated]).epsilon(0.25).scale(0));
  }
}
