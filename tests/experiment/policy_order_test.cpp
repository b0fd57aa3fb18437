#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "futexsim/experiment/point.hpp"
#include "futexsim/parts/csv_table.hpp"

namespace futexsim {
namespace {

/// A row of a 2025 table that runs, by its policy and buckets.
struct Measured {
  std::string name;
  double published, standard_error;
  ConfidenceInterval simulated;
};

/// Known misses, with the reason in models/hardware/README.md: what makes small immutable tables
/// slow where every CPU is busy; and resizable tables, which differ in their buckets only.
const std::set<std::string> unexplained{"e5-32-policies immutable 128",
                                        "e7-144-policies immutable 1024"};
const std::set<std::pair<std::string, std::string>> missed{
    {"e5-32-policies resizable 8192", "e5-32-policies resizable 128"},  // a tie
    {"e7-144-policies resizable 1024", "e7-144-policies resizable 65536"}};

std::vector<Measured> rows_of(const std::string& table) {
  const Catalogue catalogue(FUTEXSIM_SOURCE_DIR "/configs");
  std::vector<Measured> out;
  const CsvTable published_rows =
      CsvTable::read(FUTEXSIM_SOURCE_DIR "/configs/published/" + table + ".csv");
  for (const auto& row : published_rows.rows()) {
    const std::string policy(row.text("policy"));
    const std::string name = table + " " + policy + " " + std::string(row.text("buckets"));
    if (policy.ends_with("shared-futex") || unexplained.contains(name)) continue;
    const nlohmann::json config{{"machine", row.text("machine")},
                                {"kernel", row.text("kernel")},
                                {"hash", row.text("hash")},
                                {"policy", {{"name", policy}, {"buckets", row.integer("buckets")}}},
                                {"workload",
                                 {{"name", "futex-hash"},
                                  {"threads", row.integer("threads")},
                                  {"placement", row.text("placement")}}}};
    const double published = row.number("ops_per_sec_per_thread");
    out.push_back({name, published, published * row.number("plus_minus_pct") / 100,
                   simulate(Point(Document(name, config).cursor(), catalogue)).measured});
  }
  return out;
}

}  // namespace

TEST_CASE("rows of the 2025 tables come in the published order") {
  // Of each two rows whose published values differ by more than two standard errors, the faster
  // one is simulated faster by more than its confidence interval: a tie is a miss. A miss that has
  // mended itself fails, too: take it off the list.
  for (const std::string table : {"e5-32-policies", "e7-144-policies", "epyc-250-policies"}) {
    const std::vector<Measured> rows = rows_of(table);
    REQUIRE(rows.size() >= 4);
    for (const Measured& slow : rows) {
      for (const Measured& fast : rows) {
        const double error = std::hypot(slow.standard_error, fast.standard_error);
        if (fast.published - slow.published <= 2 * error) continue;
        CAPTURE(slow.name);
        CAPTURE(fast.name);
        const double noise = std::hypot(slow.simulated.half_width, fast.simulated.half_width);
        CHECK((fast.simulated.mean - slow.simulated.mean > noise) ==
              !missed.contains({slow.name, fast.name}));
      }
    }
  }
}

}  // namespace futexsim
