#include "command.hpp"
#include "command_line.hpp"
#include "futexsim/experiment/analytic_estimate.hpp"
#include "futexsim/experiment/experiment.hpp"
#include "futexsim/experiment/perf_futex.hpp"
#include "interruption.hpp"
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
      .option("precision", "P", precision_help())
      .flag("explain", "where an operation's time went, and how far cache lines moved")
      .flag("histogram", "adds every wait for a bucket lock, as [longest ns, waits] by bin")
      .option("format", "FORMAT", "table (default), json, csv or perf")
      .option("output,o", "FILE", "write there instead of to standard output");
  add_method_option(line);
  return line;
}

}  // namespace

int run(const Arguments& arguments) {
  const CommandLine line = described();
  const ParsedLine options(line, arguments);
  if (options.wants_help()) return print_help(line);
  const std::string format = options.choice("format", {"table", "json", "csv", "perf"});
  const Method method = read_method(options);
  const Catalogue catalogue(Catalogue::default_folder());
  const Document config = read_config(options, catalogue);
  const Experiment experiment(config);
  if (experiment.is_sweep()) {
    throw experiment.sweep().error("a sweep", "a config of one point; `futexsim sweep` runs this");
  }
  const Point point = experiment.points(catalogue).front();
  if (format == "perf") perf_benchmark_of(point);
  const Envelope envelope(catalogue);
  std::vector<std::string> inputs = model_files({&point, 1}, catalogue);
  inputs.push_back(config.source());
  if (method == Method::analytic) {
    const std::string text =
        row_as(with_model_error(estimate_row(point, estimate(point)), envelope.at(point)), format);
    Output output(options.text("output"), inputs);
    output.write(text);
    output.finish();
    return done;
  }
  const Interruption interruption(Output::is_file(options.text("output")));
  Output output(options.text("output"), inputs);
  const std::optional<PointResult> result = simulate_unless_interrupted(point);
  if (!result) return interrupted;
  output.write(result_text(point, *result, envelope, format, options.has("explain"),
                           options.has("histogram")));
  if (format == "perf") report_model_error(envelope.at(point));
  output.finish();
  PrecisionCheck precision;
  precision.add(*result, point.parameters().precision);
  precision.report();
  return done;
}

}  // namespace futexsim::cli
