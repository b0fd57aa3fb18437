#include <doctest/doctest.h>

#include "../parts/message_of.hpp"
#include "futexsim/experiment/experiment.hpp"

using namespace futexsim;

namespace {

const Catalogue& catalogue() {
  static const Catalogue shipped(FUTEXSIM_SOURCE_DIR "/configs");
  return shipped;
}

std::string config(const std::string& sweep) {
  return R"({"machine": "e5-2650", "kernel": "2024-rfc-v2", "policy": {"name": "private",
 "buckets": 2}, "workload": {"name": "futex-hash", "threads": 4})" +
         (sweep.empty() ? "}" : ",\n\"sweep\": " + sweep + "}");
}

std::vector<Point> points(const std::string& sweep) {
  return Experiment(Document::parse(config(sweep), "c.json")).points(catalogue());
}

/// "threads x buckets" of each point.
std::vector<std::string> shapes(const std::string& sweep) {
  std::vector<std::string> out;
  for (const Point& point : points(sweep)) {
    out.push_back(std::to_string(point.threads()) + "x" +
                  point.resolved().at("policy").at("buckets").dump());
  }
  return out;
}

std::string refusal(const std::string& sweep) {
  return message_of([&] { points(sweep); });
}

using Shapes = std::vector<std::string>;

}  // namespace

TEST_CASE("without a sweep there is one point") {
  CHECK(shapes("") == Shapes{"4x2"});
  CHECK_FALSE(Experiment(Document::parse(config(""), "c.json")).is_sweep());
}

TEST_CASE("a grid combines everything, the last pointer in name order fastest") {
  CHECK(shapes(R"({"grid": {"/workload/threads": [1, 2], "/policy/buckets": [4, 8]}})") ==
        Shapes{"1x4", "2x4", "1x8", "2x8"});
}

TEST_CASE("a zip goes through its lists in step, faster than a grid beside it") {
  CHECK(shapes(R"({"zip": {"/workload/threads": [1, 2], "/policy/buckets": [4, 8]}})") ==
        Shapes{"1x4", "2x8"});
  CHECK(shapes(R"({"grid": {"/policy/buckets": [4, 8]}, "zip": {"/workload/threads": [1, 2]}})") ==
        Shapes{"1x4", "2x4", "1x8", "2x8"});
}

TEST_CASE("blocks follow one another, and a whole is set before its parts") {
  CHECK(shapes(R"([{"grid": {"/policy/buckets": [16]}},
                   {"grid": {"/policy/buckets": [4], "/policy": [{"name": "global"}]}}])") ==
        Shapes{"4x16", "4x4"});
}

TEST_CASE("a sweep that isn't one is refused at its place") {
  CHECK(refusal("{}") ==
        "c.json:3:10: /sweep: found an object; allowed: \"grid\" or \"zip\" with JSON pointers");
  CHECK(refusal("[]").ends_with("/sweep: found an array; allowed: at least one block"));
  CHECK(refusal(R"({"grids": {}})").find("did you mean \"grid\"?") != std::string::npos);
  CHECK(refusal(R"({"grid": {"/policy/buckets": []}})").find("at least 1") != std::string::npos);
  CHECK(refusal(R"({"grid": {"/policy/buckets": 4}})").ends_with("allowed: an array"));
  CHECK(refusal(R"({"zip": {"/policy/buckets": [2, 4], "/seed": [1]}})")
            .ends_with("allowed: 2 values, as in the first list of the zip"));
  CHECK(refusal(R"({"grid": {"policy": [1]}})").find("the JSON pointer \"policy\"") !=
        std::string::npos);
}

TEST_CASE("a value that doesn't fit is refused where it stands in the sweep") {
  CHECK(refusal(R"({"grid": {"/policy/buckets": [2, 3]}})") ==
        "c.json:3:43: /policy/buckets: found the number 3; allowed: a power of two");
  CHECK(refusal(R"({"grid": {"/workload/thread": [2]}})").find("did you mean \"threads\"?") !=
        std::string::npos);
}

TEST_CASE("a sweep without end is refused before it is expanded") {
  std::string list = "[1";
  for (int i = 0; i < 1100; ++i) list += ", 1";
  list += "]";
  CHECK(refusal("{\"grid\": {\"/seed\": " + list + ", \"/policy/buckets\": " + list + "}}")
            .ends_with("found a sweep of too many points; allowed: at most 1000000 points"));
}

TEST_CASE("every shipped experiment is one") {
  for (const std::string& name : catalogue().experiments()) {
    CAPTURE(name);
    CHECK_FALSE(Experiment(Experiment::read(name, catalogue())).points(catalogue()).empty());
  }
  CHECK(message_of([] {
          Experiment::read("e5-curv", catalogue());
        }).ends_with("(did you mean \"e5-curve\"?)"));
}
