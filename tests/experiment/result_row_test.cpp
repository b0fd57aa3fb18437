#include "futexsim/experiment/result_row.hpp"

#include <doctest/doctest.h>

#include "futexsim/experiment/experiment.hpp"
#include "futexsim/experiment/point_runner.hpp"

using namespace futexsim;
using nlohmann::ordered_json;

namespace {

const Catalogue& catalogue() {
  static const Catalogue shipped(FUTEXSIM_SOURCE_DIR "/configs");
  return shipped;
}

std::vector<Point> some_points() {
  const char* const config = R"({"machine": "e5-2650", "kernel": "2024-rfc-v2", "policy":
      {"name": "private", "buckets": 2}, "precision": 1, "workload": {"name": "futex-hash", "threads": 6},
      "sweep": {"grid": {"/policy/buckets": [2, 16, 256], "/workload/placement": ["all", "node1"]}}})";
  return Experiment(Document::parse(config, "c.json")).points(catalogue());
}

std::vector<ordered_json> rows_with(unsigned jobs) {
  const std::vector<Point> points = some_points();
  std::vector<ordered_json> rows;
  run_points(points, jobs,
             {.finished =
                  [&](std::size_t index, const PointResult& result) {
                    CHECK(index == rows.size());
                    rows.push_back(result_row(points[index], result, true));
                  },
              .progress = {},
              .interrupted = {}});
  return rows;
}

}  // namespace

TEST_CASE("rows are the same bytes, in the order of the points, for any number of threads") {
  const auto one = rows_with(1);
  CHECK(one.size() == 6);
  CHECK(ordered_json(one).dump() == ordered_json(rows_with(2)).dump());
  CHECK(ordered_json(one).dump() == ordered_json(rows_with(5)).dump());
}

TEST_CASE("a row is self-contained: its config runs the same point again") {
  const ordered_json row = rows_with(2).at(3);
  const Point again(Document("row", nlohmann::json(row.at("config"))).cursor(), catalogue());
  CHECK(result_row(again, simulate(again), true) == row);
}

TEST_CASE("another seed is another run") {
  Document config = Experiment::read("e5-point", catalogue());
  config.set("/precision", 1, "test");
  const auto hash = [&](int seed) {
    config.set("/seed", seed, "test");
    return simulate(Point(config.cursor(), catalogue())).trace_hash;
  };
  CHECK(hash(1) == hash(1));
  CHECK(hash(1) != hash(2));
}

TEST_CASE("a row holds what its contract names, in that order") {
  const ordered_json row = rows_with(2).front();
  std::string keys;
  for (const auto& [key, value] : row.items()) keys += key + ' ';
  CHECK(keys ==
        "config seed version method trace_hash ops_per_sec_per_thread half_width precise "
        "plus_minus_pct "
        "events "
        "operations simulated_ns wait_ns explanation ");
  CHECK(row.at("trace_hash").get<std::string>().size() == 16);
  const ordered_json& wait = row.at("wait_ns");
  CHECK(wait.at("p50") <= wait.at("p99"));
  CHECK(wait.at("p99") <= wait.at("p999"));
  CHECK(wait.at("p999") <= wait.at("max"));
}

TEST_CASE("an operation's time is explained in full") {
  for (const ordered_json& row : rows_with(2)) {
    const ordered_json& e = row.at("explanation");
    double sum = 0;
    for (const char* part : {"computing_ns", "line_ns", "spinning_ns", "draining_ns"}) {
      sum += e.at(part).get<double>();
    }
    const double whole = 1e9 / row.at("ops_per_sec_per_thread").get<double>();
    CHECK(sum == doctest::Approx(whole).epsilon(0.05));
  }
}

TEST_CASE("a row in CSV has a column for each leaf") {
  const std::string csv = rows_csv({{{"a", 1}, {"b", {{"c", "x,y"}}}}, {{"a", 2}, {"d", nullptr}}});
  CHECK(csv == "a,b.c,d\n1,\"x,y\",\n2,,\n");
}
