#include "command.hpp"
#include "command_line.hpp"
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
      .option("precision", "P", "relative half-width at which to stop")
      .option("jobs,j", "N", "points simulated at a time (default: one for each CPU)")
      .flag("explain", "adds where an operation's time went")
      .option("format", "FORMAT", "json (default: JSON Lines), csv or table")
      .option("output,o", "FILE", "write there instead of to standard output");
  return line;
}

}  // namespace

int sweep(const Arguments& arguments) {
  const CommandLine line = described();
  const ParsedLine options(line, arguments);
  if (options.wants_help()) return print_help(line);
  const std::string format = options.choice("format", {"json", "csv", "table"});
  const unsigned jobs = options.jobs();
  const Interruption interruption;
  const Catalogue catalogue(Catalogue::default_folder());
  const std::vector<Point> points = Experiment(read_config(options, catalogue)).points(catalogue);
  Output output(options.text("output"));
  Progress progress(points.size());
  std::vector<nlohmann::ordered_json> rows;
  const auto keep = [&](std::size_t index, const PointResult& result) {
    nlohmann::ordered_json row = result_row(points[index], result, options.has("explain"));
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
  if (format == "csv") output.write(rows_csv(rows));
  if (format == "table") output.write(rows_text(rows));
  output.finish();
  return all ? done : interrupted;
}

}  // namespace futexsim::cli
