#include "command.hpp"
#include "command_line.hpp"
#include "futexsim/experiment/perf_hash.hpp"
#include "futexsim/parts/input_error.hpp"
#include "interruption.hpp"
#include "output.hpp"
#include "results.hpp"

namespace futexsim::cli {
namespace {

CommandLine described() {
  const PerfHashOptions defaults;
  CommandLine line("bench futex hash [options]",
                   "perf bench futex hash on a simulated machine: perf's options and output.");
  line.positional("benchmark", 0, 2)
      .option("threads,t", "N", "threads; 0, the default: one for each CPU")
      .option("runtime,r", "SECONDS", "only shown: precision decides how much is simulated")
      .option("futexes,f", "N", "futexes of each thread (default 1024)")
      .option("buckets,b", "N",
              "buckets of a private table; 0: the global table; -1, the default: what the kernel "
              "does by itself")
      .flag("immutable,I", "a private table that can't be resized")
      .flag("shared,S", "process-shared futexes, which hash into the global table")
      .flag("silent,s", "no line for each thread")
      .flag("mlockall,m", "changes nothing: simulated memory is always there")
      .option("machine", "NAME|FILE", "simulated machine (default " + defaults.machine + ")")
      .option("kernel", "NAME|FILE", "simulated kernel (default " + defaults.kernel + ")")
      .option("placement", "PLACE", "all (default), or nodeK as under taskset")
      .option("policy", "NAME", "table policy, where -b and -I leave a choice")
      .option("hash", "NAME", "hash function (default: the kernel's)")
      .option("seed", "N", "of all randomness; shown as the PID (default 1)")
      .option("precision", "P", precision_help())
      .option("format", "FORMAT", "perf (default), json, csv or table")
      .option("output,o", "FILE", "write there instead of to standard output");
  return line;
}

PerfHashOptions read(const ParsedLine& line) {
  constexpr std::int64_t largest = 2147483647;
  PerfHashOptions options;
  options.threads = line.integer("threads", 0, largest).value_or(options.threads);
  options.runtime = line.integer("runtime", 1, largest).value_or(options.runtime);
  options.futexes = line.integer("futexes", 1, largest).value_or(options.futexes);
  options.buckets = line.integer("buckets", -1, largest).value_or(options.buckets);
  options.immutable = line.has("immutable");
  options.shared = line.has("shared");
  options.silent = line.has("silent");
  options.machine = line.text_or("machine", options.machine);
  options.kernel = line.text_or("kernel", options.kernel);
  options.placement = line.text_or("placement", options.placement);
  options.policy = line.text("policy");
  options.hash = line.text("hash");
  options.seed = line.seed();
  options.precision = line.precision();
  return options;
}

}  // namespace

int bench(const Arguments& arguments) {
  const CommandLine described_line = described();
  const ParsedLine line(described_line, arguments);
  if (line.wants_help()) return print_help(described_line);
  if (line.positional() != std::vector<std::string>{"futex", "hash"}) {
    std::string found;
    for (const std::string& word : line.positional()) found += (found.empty() ? "" : " ") + word;
    throw InputError({.source = "bench"},
                     line.positional().empty() ? "no benchmark" : in_quotes(found),
                     "\"futex hash\"");
  }
  const std::string format = line.choice("format", {"perf", "json", "csv", "table"});
  const PerfHashOptions options = read(line);
  const Catalogue catalogue(Catalogue::default_folder());
  const Point point = perf_hash_point(options, catalogue);
  const Interruption interruption(Output::is_file(line.text("output")));
  Output output(line.text("output"), model_files({&point, 1}, catalogue));
  if (format == "perf") output.write(perf_hash_heading(options, point));
  const std::optional<PointResult> result = simulate_unless_interrupted(point);
  if (!result) return interrupted;
  output.write(format == "perf" ? perf_hash_findings(options, point, *result)
                                : result_text(point, *result, format, false));
  output.finish();
  PrecisionCheck precision;
  precision.add(*result, point.parameters().precision);
  precision.report();
  return done;
}

}  // namespace futexsim::cli
