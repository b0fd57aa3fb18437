#include "command.hpp"
#include "command_line.hpp"
#include "futexsim/experiment/analytic_estimate.hpp"
#include "futexsim/experiment/experiment.hpp"
#include "futexsim/experiment/point_runner.hpp"
#include "futexsim/experiment/result_row.hpp"
#include "interruption.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "results.hpp"

namespace futexsim::cli {
namespace {

CommandLine described() {
  CommandLine line("sweep CONFIG [options]",
                   "Simulates every point of a config's \"sweep\": a row of results each, in the "
                   "order of the points.\nCONFIG: a file, or a name in configs/experiments. On "
                   "SIGINT what is finished is kept.");
  line.positional("CONFIG", 1, 1)
      .options("set", "/POINTER=VALUE", "replaces a value of the config that isn't swept")
      .option("seed", "N", "of all randomness")
      .option("precision", "P", precision_help())
      .option("jobs,j", "N", "points simulated at a time (default: one for each CPU)")
      .flag("explain", "adds where an operation's time went")
      .flag("histogram", "adds every wait for a bucket lock, as [longest ns, waits] by bin")
      .option("format", "FORMAT", "json (default: JSON Lines), csv or table")
      .option("output,o", "FILE", "write there instead of to standard output");
  add_method_option(line);
  return line;
}

std::string rows_as(const std::vector<nlohmann::ordered_json>& rows, const std::string& format) {
  return format == "csv" ? rows_csv(rows) : rows_text(rows);
}

/// Every point at once: all are estimated before anything is written.
int sweep_analytically(const ParsedLine& options, const std::string& format,
                       const std::vector<Point>& points, const Envelope& envelope,
                       const std::vector<std::string>& inputs) {
  std::vector<nlohmann::ordered_json> rows;
  for (const Point& point : points) {
    rows.push_back(with_model_error(estimate_row(point, estimate(point)), envelope.at(point)));
  }
  Output output(options.text("output"), inputs);
  if (format == "json") {
    for (const auto& row : rows) output.write(row.dump() + "\n");
  } else {
    output.write(rows_as(rows, format));
  }
  output.finish();
  return done;
}

}  // namespace

int sweep(const Arguments& arguments) {
  const CommandLine line = described();
  const ParsedLine options(line, arguments);
  if (options.wants_help()) return print_help(line);
  const std::string format = options.choice("format", {"json", "csv", "table"});
  const Method method = read_method(options);
  const unsigned jobs = options.jobs();
  const Catalogue catalogue(Catalogue::default_folder());
  const Document config = read_config(options, catalogue);
  const Experiment experiment(config);
  refuse_swept_options(options, experiment);
  const std::vector<Point> points = experiment.points(catalogue);
  std::vector<std::string> inputs = model_files(points, catalogue);
  inputs.push_back(config.source());
  const Envelope envelope(catalogue);
  if (method == Method::analytic) {
    return sweep_analytically(options, format, points, envelope, inputs);
  }
  const Interruption interruption(Output::is_file(options.text("output")));
  Output output(options.text("output"), inputs);
  Progress progress(points.size());
  std::vector<nlohmann::ordered_json> rows;
  std::size_t kept = 0;
  PrecisionCheck precision;
  const auto keep = [&](std::size_t index, const PointResult& result) {
    ++kept;
    precision.add(result, points[index].parameters().precision);
    nlohmann::ordered_json row = with_model_error(
        result_row(points[index], result, options.has("explain"), options.has("histogram")),
        envelope.at(points[index]));
    if (format != "json") {
      rows.push_back(std::move(row));
      return;
    }
    progress.clear();
    output.write(row.dump() + "\n");
  };
  const bool all = run_points(points, jobs,
                              {.finished = keep,
                               .progress = [&](std::size_t count) { progress.show(count); },
                               .interrupted = [] { return Interruption::requested(); }});
  progress.clear();
  if (kept == 0) return report_interruption(kept, points.size());
  if (format != "json") output.write(rows_as(rows, format));
  output.finish();
  precision.report();
  return all ? done : report_interruption(kept, points.size());
}

}  // namespace futexsim::cli
