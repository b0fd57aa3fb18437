#include "results.hpp"

#include <cstdio>
#include <set>

#include "futexsim/experiment/experiment.hpp"
#include "futexsim/experiment/perf_futex.hpp"
#include "futexsim/experiment/point_runner.hpp"
#include "futexsim/experiment/result_row.hpp"
#include "futexsim/parts/input_error.hpp"
#include "interruption.hpp"
#include "progress.hpp"

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

std::string result_text(const Point& point, const PointResult& result, const Envelope& envelope,
                        const std::string& format, bool explain, bool histogram) {
  if (format == "perf") return perf_report(point, result);
  return row_as(with_model_error(result_row(point, result, explain, histogram), envelope.at(point)),
                format);
}

std::string row_as(const nlohmann::ordered_json& row, const std::string& format) {
  if (format == "json") return row.dump() + "\n";
  return format == "csv" ? rows_csv({row}) : row_text(row);
}

void add_method_option(CommandLine& line) {
  line.option(
      "method", "METHOD",
      "simulation (default), or analytic: a queueing estimate at once, of the mean only, "
      "mostly within 10 % of the simulation, at worst 47 % off, a third too low on Intel where a "
      "table is resizable");
}

Method read_method(const ParsedLine& options) {
  if (options.choice("method", {"simulation", "analytic"}) == "simulation") {
    return Method::simulation;
  }
  for (const char* option : {"explain", "histogram", "precision"}) {
    if (!options.has(option)) continue;
    throw InputError({.source = std::string("--") + option}, "together with --method analytic",
                     "it with --method simulation only");
  }
  if (options.text("format") == "perf") {
    throw InputError({.source = "--format"}, "\"perf\" together with --method analytic",
                     "table, json, csv");
  }
  return Method::analytic;
}

void refuse_swept_options(const ParsedLine& options, const Experiment& experiment) {
  const auto refuse = [&](const std::string& option, const std::string& pointer) {
    if (!experiment.sweeps(pointer)) return;
    throw InputError({.source = option}, "a value that the config sweeps: " + in_quotes(pointer),
                     "a value that isn't swept; a sweep's own lists stand in /sweep");
  };
  for (const std::string& assignment : options.texts("set")) {
    refuse("--set", assignment.substr(0, assignment.find('=')));
  }
  if (options.has("seed")) refuse("--seed", "/seed");
  if (options.has("precision")) refuse("--precision", "/precision");
}

std::vector<std::string> model_files(std::span<const Point> points, const Catalogue& catalogue) {
  std::set<std::string> files;
  const auto add = [&](const std::string& name, const char* folder) {
    files.insert(is_path(name) ? name : (catalogue.folder() / folder / (name + ".json")).string());
  };
  for (const Point& point : points) {
    add(point.parameters().machine.as_string(), "machines");
    add(point.parameters().kernel.as_string(), "kernels");
  }
  return {files.begin(), files.end()};
}

std::string precision_help() {
  return "relative half-width at which to stop (default 0.01), after " +
         std::to_string(StoppingRule().max_replications) + " replications at the latest";
}

std::string precision_help_of_runs() {
  return "relative half-width at which to stop; without it, after the ten runs that perf makes";
}

void PrecisionCheck::add(const PointResult& result, double wanted) {
  ++points_;
  if (result.precise) return;
  ++missed_;
  const double reached = result.measured.relative();
  if (reached < worst_) return;
  worst_ = reached;
  wanted_ = wanted;
  replications_ = result.replications;
}

void PrecisionCheck::report() const {
  if (missed_ == 0) return;
  std::string where;
  if (points_ != 1) {
    where = " at " + std::to_string(missed_) + " of " + std::to_string(points_) + " points";
  }
  std::fprintf(stderr, "futexsim: precision %g not reached%s: %s%.2g after %u replications\n",
               wanted_, where.c_str(), missed_ == 1 ? "" : "at worst ", worst_, replications_);
}

void report_model_error(const ModelError& error) {
  std::fprintf(stderr, "futexsim: %s\n", to_string(error).c_str());
}

int report_interruption(std::size_t kept, std::size_t points) {
  std::fprintf(stderr, "futexsim: interrupted: %zu of %zu points kept\n", kept, points);
  return interrupted;
}

std::optional<PointResult> simulate_unless_interrupted(const Point& point) {
  std::optional<PointResult> out;
  Progress progress(1);
  run_points(std::span(&point, 1), 1,
             {.finished = [&](std::size_t, const PointResult& result) { out = result; },
              .progress = [&](std::size_t count) { progress.show(count); },
              .interrupted = [] { return Interruption::requested(); }});
  progress.clear();
  if (!out) report_interruption(0, 1);
  return out;
}

}  // namespace futexsim::cli
