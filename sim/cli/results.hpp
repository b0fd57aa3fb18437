#pragma once

#include <optional>
#include <string>

#include "command_line.hpp"
#include "futexsim/experiment/catalogue.hpp"
#include "futexsim/experiment/point.hpp"
#include "futexsim/parts/document.hpp"

namespace futexsim::cli {

/// The config that the first argument names, changed by --set, --seed and --precision.
Document read_config(const ParsedLine& options, const Catalogue& catalogue);

/// Simulates one point. Nothing when SIGINT or SIGTERM came first.
std::optional<PointResult> simulate_unless_interrupted(const Point& point);

/// The result of a point as table, json, csv or perf.
std::string result_text(const Point& point, const PointResult& result, const std::string& format,
                        bool explain);

}  // namespace futexsim::cli
