#include "results.hpp"

#include <span>

#include "futexsim/experiment/experiment.hpp"
#include "futexsim/experiment/perf_hash.hpp"
#include "futexsim/experiment/point_runner.hpp"
#include "futexsim/experiment/result_row.hpp"
#include "interruption.hpp"

namespace futexsim::cli {

Document read_config(const ParsedLine& options, const Catalogue& catalogue) {
  Document config = Experiment::read(options.positional().front(), catalogue);
  for (const std::string& assignment : options.texts("set")) {
    config.set_from_option("--set", assignment);
  }
  if (const auto seed = options.seed()) config.set("/seed", *seed, "--seed");
  if (const auto precision = options.precision()) {
    config.set("/precision", *precision, "--precision");
  }
  return config;
}

std::string result_text(const Point& point, const PointResult& result, const std::string& format,
                        bool explain) {
  if (format == "perf") return perf_hash_report(perf_hash_options(point), point, result);
  const auto row = result_row(point, result, explain);
  if (format == "json") return row.dump() + "\n";
  return format == "csv" ? rows_csv({row}) : row_text(row);
}

std::optional<PointResult> simulate_unless_interrupted(const Point& point) {
  const Interruption interruption;
  std::optional<PointResult> out;
  run_points(std::span(&point, 1), 1,
             {.finished = [&](std::size_t, const PointResult& result) { out = result; },
              .progress = {},
              .interrupted = [] { return Interruption::requested(); }});
  return out;
}

}  // namespace futexsim::cli
