#include "command.hpp"
#include "command_line.hpp"
#include "futexsim/experiment/experiment.hpp"
#include "futexsim/experiment/perf_hash.hpp"
#include "futexsim/experiment/result_row.hpp"
#include "output.hpp"
#include "results.hpp"

namespace futexsim::cli {
namespace {

CommandLine described() {
  CommandLine line("run CONFIG [options]",
                   "Simulates one point. CONFIG: a file, or a name in configs/experiments.");
  line.positional("CONFIG", 1, 1)
      .options("set", "/POINTER=VALUE",
               "replaces a value of the config, as in /workload/threads=64")
      .option("seed", "N", "of all randomness")
      .option("precision", "P", "relative half-width at which to stop")
      .flag("explain", "where an operation's time went, and how far cache lines moved")
      .option("format", "FORMAT", "table (default), json, csv or perf")
      .option("output,o", "FILE", "write there instead of to standard output");
  return line;
}

}  // namespace

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

int run(const Arguments& arguments) {
  const CommandLine line = described();
  const ParsedLine options(line, arguments);
  if (options.wants_help()) return print_help(line);
  const std::string format = options.choice("format", {"table", "json", "csv", "perf"});
  const Catalogue catalogue(Catalogue::default_folder());
  const Experiment experiment(read_config(options, catalogue));
  if (experiment.is_sweep()) {
    throw experiment.sweep().error("a sweep", "a config of one point; `futexsim sweep` runs this");
  }
  const Point point = experiment.points(catalogue).front();
  Output output(options.text("output"));
  output.write(result_text(point, simulate(point), format, options.has("explain")));
  output.finish();
  return done;
}

}  // namespace futexsim::cli
