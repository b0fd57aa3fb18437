#include "futexsim/experiment/validation.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "../parts/message_of.hpp"
#include "futexsim/experiment/validation_bounds.hpp"
#include "futexsim/experiment/validation_report.hpp"
#include "futexsim/parts/text_file.hpp"
#include "scratch_folder.hpp"

using namespace futexsim;
using doctest::Approx;
using nlohmann::json;

namespace {

const std::string header =
    "table,machine,kernel,threads,placement,futexes_per_thread,policy,hash,buckets,"
    "ops_per_sec_per_thread,processes,note\n";

const Catalogue& catalogue() {
  static const Catalogue shipped(FUTEXSIM_SOURCE_DIR "/configs");
  return shipped;
}

/// The tables of a file with these rows.
std::vector<PublishedTable> tables(const ScratchFolder& folder, const std::string& rows) {
  const std::string path = folder / "t.csv";
  write_file_atomically(path, header + rows);
  return read_published(path, catalogue(), {.seed = 3, .precision = 1});
}

json validated(const std::string& rows) {
  const ScratchFolder folder;
  const auto published = tables(folder, rows);
  return json::parse(validation_json(validate(published, 2, {})));
}

std::string refusal(const std::string& rows) {
  const ScratchFolder folder;
  const std::string message = message_of([&] { tables(folder, rows); });
  return message.substr(message.find("t.csv"));
}

/// A table whose rows came out with these errors.
TableOutcome outcome(const PublishedTable& table, std::initializer_list<double> errors) {
  TableOutcome out{&table, {}};
  for (const double error : errors)
    out.rows.push_back({.simulated = {},
                        .published_plus_minus_pct = {},
                        .error = error,
                        .not_run = {},
                        .error_under_hypothesis = {}});
  return out;
}

const std::string row = "t,e5-2650,2024-rfc-v2,2,all,8,private,jhash2,4,1000000,1,x\n";

/// The row as one of that table.
std::string named(std::string table) {
  return table.append(row, 1);
}

}  // namespace

TEST_CASE("errors are summed up by hand") {
  const std::array<double, 5> errors{0.1, -0.2, 0.4, 0, -0.05};
  const ErrorSummary summary = summarize(errors);
  CHECK(summary.rows == 5);
  CHECK(summary.median == Approx(0.1));
  CHECK(summary.p90 == Approx(0.2 + 0.6 * 0.2));  // rank 3.6 of 0 to 4
  CHECK(summary.max == Approx(0.4));
  const double squares = std::pow(std::log(1.1), 2) + std::pow(std::log(0.8), 2) +
                         std::pow(std::log(1.4), 2) + std::pow(std::log(0.95), 2);
  CHECK(summary.log_rms == Approx(std::sqrt(squares / 5)));
}

TEST_CASE("of an even number of errors the median lies between two") {
  CHECK(summarize(std::array{0.1, -0.2}).median == Approx(0.15));
  CHECK(std::isnan(summarize(std::span<const double>()).median));
}

TEST_CASE("rows come back in order with their own columns, published and simulated") {
  const json table =
      validated(row + "t,e5-2650,2024-rfc-v2,2,node1,8,global,jhash2,8192,,,\n").at("tables").at(0);
  CHECK(table.at("table") == "t");
  CHECK(table.at("role") == "predicted");
  const json& first = table.at("rows").at(0);
  CHECK(first.at("threads") == 2);
  CHECK(first.at("note") == "x");
  CHECK(first.at("published") == 1000000.0);
  const double simulated = first.at("simulated");
  CHECK(first.at("error") == Approx(simulated / 1000000 - 1));
  CHECK(first.at("half_width") > 0);
  CHECK_FALSE(first.contains("not_run"));
  CHECK(table.at("max_abs_error") == Approx(std::abs(simulated / 1000000 - 1)));

  const json& second = table.at("rows").at(1);
  CHECK(second.at("published").is_null());
  CHECK(second.at("error").is_null());
  CHECK(second.at("processes").is_null());
  CHECK(second.at("simulated") > 0);
}

TEST_CASE("a row that can't be run is listed with the reason") {
  const auto reason = [](const std::string& cells) {
    const json table = validated(cells).at("tables").at(0);
    CHECK(table.at("median_abs_error").is_null());
    CHECK(table.at("rows").at(0).at("simulated").is_null());
    return table.at("rows").at(0).at("not_run").get<std::string>();
  };
  CHECK(reason("t,pdp-11,2024-rfc-v2,2,all,8,private,jhash2,4,1,1,\n") == "no machine \"pdp-11\"");
  CHECK(reason("t,e5-2650,2024-rfc-v,2,all,8,private,jhash2,4,1,1,\n") ==
        "no kernel \"2024-rfc-v\" (nearest: \"2024-rfc-v2\")");
  CHECK(reason("t,e5-2650,2024-rfc-v2,2,all,8,quick,jhash2,4,1,1,\n") == "no policy \"quick\"");
  CHECK(reason("t,e5-2650,2024-rfc-v2,2,all,8,resizable,jhash2,4,1,1,\n") ==
        "kernel \"2024-rfc-v2\" has no policy \"resizable\"");
  CHECK(reason("t,e5-2650,2024-rfc-v2,2,all,8,private,md5,4,1,1,\n") == "no hash function \"md5\"");
}

TEST_CASE("process-shared futexes hash into the table that the policy's name begins with") {
  const json table =
      validated("t,e5-2650,before-2025,2,all,8,global-shared-futex,jhash2,64,1,1,\n").at("tables");
  CHECK(table.at(0).at("rows").at(0).at("simulated") > 0);
}

TEST_CASE("several processes are a column of a row") {
  const json table = validated(
                         "t,e5-2650,2024-rfc-v2,2,one process per node,8,private,jhash2,4,1,2,\n"
                         "t,e5-2650,2024-rfc-v2,2,one process per node,8,private,jhash2,4,1,3,\n")
                         .at("tables")
                         .at(0);
  CHECK(table["rows"][0]["simulated"] > 0);
  CHECK(std::string(table["rows"][1]["not_run"]).starts_with("/workload/processes: found"));
}

TEST_CASE("what the machine or the kernel hasn't got stops a row, and no other") {
  const json table = validated(
                         "t,e5-2650,2024-rfc-v2,65537,all,8,private,jhash2,4,1,1,\n"
                         "t,e5-2650,2024-rfc-v2,2,node7,8,private,jhash2,4,1,1,\n"
                         "t,e5-2650,2024-rfc-v2,2,all,8,private,jhash2,3,1,1,\n"
                         "t,./none.json,2024-rfc-v2,2,all,8,private,jhash2,4,1,1,\n" +
                         row)
                         .at("tables")
                         .at(0);
  const auto reason = [&](std::size_t i) -> std::string { return table["rows"][i]["not_run"]; };
  CHECK(reason(0).starts_with("/workload/threads: found the number 65537"));
  CHECK(reason(1).starts_with("/workload"));
  CHECK(reason(1).ends_with("allowed: all, one process per node, or node0 to node1"));
  CHECK(reason(2).starts_with("/policy/buckets: found the number 3"));
  CHECK(reason(3) == "no file \"./none.json\"");
  CHECK(table["rows"][4]["simulated"] > 0);
}

TEST_CASE("a row that is wrong is refused at its place") {
  CHECK(refusal("t,e5-2650,2024-rfc-v2,x,all,8,private,jhash2,4,1,1,\n") ==
        "t.csv:2:23: found \"x\" in column \"threads\"; allowed: an integer");
  CHECK(refusal("t,e5-2650,2024-rfc-v2,0,all,8,private,jhash2,4,1,1,\n")
            .ends_with("allowed: an integer of at least 1"));
  CHECK(refusal("t,e5-2650,2024-rfc-v2,2,all,8,private,jhash2,4,-1,1,\n")
            .ends_with("column \"ops_per_sec_per_thread\"; allowed: a number above 0"));
  CHECK(refusal(",e5-2650,2024-rfc-v2,2,all,8,private,jhash2,4,1,1,\n")
            .ends_with("allowed: the table's name"));
}

TEST_CASE("rows are grouped by their table's name, and equal points simulated once") {
  const ScratchFolder folder;
  const std::string other = named("u");
  const auto published = tables(folder, row + other + row);
  REQUIRE(published.size() == 2);
  CHECK(published[0].rows.size() == 2);
  CHECK(different_points(published) == 1);
}

TEST_CASE("a table is fitted if a number of its machine says so") {
  const ScratchFolder folder;
  const std::string fitted = named("e5-28");
  CHECK(tables(folder, fitted).at(0).fitted());
  CHECK_FALSE(tables(folder, row).at(0).fitted());
}

TEST_CASE("what was finished before an interruption is kept, the rest says why it wasn't run") {
  const ScratchFolder folder;
  std::string rows;
  for (int buckets = 2; buckets <= 4096; buckets *= 2) {
    rows += "t,e5-2650,2024-rfc-v2,2,all,8,private,jhash2," + std::to_string(buckets) + ",1,1,\n";
  }
  const auto published = tables(folder, rows);
  std::size_t finished = 0;
  const Validation validation =
      validate(published, 1,
               {.finished = [&](std::size_t, const PointResult&) { ++finished; },
                .progress = {},
                .interrupted = [&] { return finished == 2; }});
  CHECK(validation.interrupted);
  CHECK(validation.tables[0].rows[0].error);
  CHECK(validation.tables[0].rows[1].error);
  CHECK(validation.tables[0].rows.back().not_run == "interrupted");
}

TEST_CASE("a bound is broken by an error beyond it and by a row that counts but wasn't run") {
  const ScratchFolder folder;
  const auto published = tables(folder, row + row + row);
  const ValidationBound bound{.median = 0.05, .worst = 0.15, .reason = "", .without_policies = {}};
  CHECK(broken_bounds(outcome(published[0], {0.05, -0.15, 0.01}), bound).empty());
  CHECK(broken_bounds(outcome(published[0], {0.06, -0.16, 0.07}), bound) ==
        std::vector<std::string>{"t: median error 7.0 % exceeds its bound of 5.0 %",
                                 "t: worst error 16.0 % exceeds its bound of 15.0 %"});
  TableOutcome lacking = outcome(published[0], {0.01, 0.01, 0.01});
  lacking.rows[1].error.reset();
  CHECK(broken_bounds(lacking, bound) ==
        std::vector<std::string>{"t: 1 rows that count were not run"});
  CHECK(broken_bounds(lacking,
                      {.median = 1, .worst = 1, .reason = "", .without_policies = {"private"}})
            .empty());
}

TEST_CASE("each shipped bound names a shipped table") {
  const std::string folder = FUTEXSIM_SOURCE_DIR "/configs/published";
  std::vector<std::string> names;
  for (const auto& table : read_published(folder, catalogue(), {})) names.push_back(table.name);
  for (const auto& bound : read_bounds(folder + "/bounds.json")) {
    CAPTURE(bound.first);
    CHECK(std::find(names.begin(), names.end(), bound.first) != names.end());
    CHECK(bound.second.median <= bound.second.worst);
  }
}

TEST_CASE("a hypothesis about a machine or kernel that isn't there is refused where it stands") {
  const auto refusal = [](const std::string& changes) {
    const ScratchFolder folder;
    const std::string path = folder / "h.json";
    write_file_atomically(path, R"({"name": "h", "description": "d", )" + changes + "}");
    return message_of([&] { (void)catalogue().hypothesis(Document("name", path).cursor()); });
  };
  CHECK(refusal(R"("machines": {"e5-265": {"/costs/atomic/value": 5}})")
            .find("did you mean \"e5-2650\"?") != std::string::npos);
  CHECK(refusal(R"("kernels": {"v9": {"/spinlock": "ticket"}})").find("the kernel \"v9\"") !=
        std::string::npos);
  CHECK(refusal(R"("machines": {"e5-2650": {"/costs/atomic/value": 5}})") == "no error");
}
