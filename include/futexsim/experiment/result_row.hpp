#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "futexsim/experiment/point.hpp"

namespace futexsim {

/// A row of results as configs/README.md documents it, self-contained. `explain` adds where an
/// operation's time went, `histogram` every wait.
nlohmann::ordered_json result_row(const Point& point, const PointResult& result,
                                  bool explain = false, bool histogram = false);

/// Its columns as in CSV: "config.policy.buckets", "wait_ns.p50".
std::vector<std::pair<std::string, std::string>> flattened(const nlohmann::ordered_json& row);

/// Rows as CSV with a header; a row that lacks a column of another leaves it empty.
std::string rows_csv(const std::vector<nlohmann::ordered_json>& rows);

/// Rows for people: what varies in their configs, and the main results.
std::string rows_text(const std::vector<nlohmann::ordered_json>& rows);

/// One row for people, with its explanation if it has one.
std::string row_text(const nlohmann::ordered_json& row);

}  // namespace futexsim
