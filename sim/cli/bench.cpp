#include "command.hpp"
#include "command_line.hpp"
#include "futexsim/experiment/perf_futex.hpp"
#include "futexsim/parts/input_error.hpp"
#include "interruption.hpp"
#include "output.hpp"
#include "results.hpp"

namespace futexsim::cli {
namespace {

constexpr const char* all = "all";

/// Null for `all`.
CommandLine described(const PerfBenchmark* benchmark) {
  const PerfFutexOptions defaults;
  const std::string name(benchmark != nullptr ? benchmark->name() : all);
  std::string help = "perf bench futex " + name + " on a simulated machine: ";
  help += benchmark != nullptr ? std::string(benchmark->help()) + "." : "every benchmark in turn.";
  CommandLine line("bench futex " + name + " [options]", help + " perf's options and output.");
  line.positional("benchmark", 2, 2);
  const auto add = [&](const PerfOption& option) {
    if (option.value.empty()) {
      line.flag(option.names, option.help);
    } else {
      line.option(option.names, option.value, option.help);
    }
  };
  if (benchmark != nullptr) {
    for (const PerfOption& option : benchmark->options()) add(option);
    for (const PerfOption& option : perf_common_options()) add(option);
    line.option("policy", "NAME", "table policy, where -b and -I leave a choice");
  }
  line.option("machine", "NAME|FILE", "simulated machine (default " + defaults.machine + ")")
      .option("kernel", "NAME|FILE", "simulated kernel (default " + defaults.kernel + ")")
      .option("placement", "PLACE", "all (default), or nodeK as under taskset")
      .option("hash", "NAME", "hash function (default: the kernel's)")
      .option("seed", "N", "of all randomness; shown as the PID (default 1)")
      .option("precision", "P",
              benchmark != nullptr && benchmark->is_repeated() ? precision_help_of_runs()
                                                               : precision_help());
  if (benchmark != nullptr) line.option("format", "FORMAT", "perf (default), json, csv or table");
  line.option("output,o", "FILE", "write there instead of to standard output");
  return line;
}

void read(const PerfOption& option, const ParsedLine& line, PerfFutexOptions& out) {
  constexpr std::int64_t largest = 2147483647;
  const std::string name = option.names.substr(0, option.names.find(','));
  if (const auto* flag = std::get_if<bool PerfFutexOptions::*>(&option.field)) {
    out.*(*flag) = line.has(name);
    return;
  }
  const auto value = line.integer(name, option.least, largest);
  if (!value) return;
  if (const auto* number = std::get_if<std::int64_t PerfFutexOptions::*>(&option.field)) {
    out.*(*number) = *value;
  } else {
    out.*std::get<std::optional<std::int64_t> PerfFutexOptions::*>(option.field) = value;
  }
}

PerfFutexOptions read(const PerfBenchmark* benchmark, const ParsedLine& line) {
  PerfFutexOptions options;
  if (benchmark != nullptr) {
    for (const PerfOption& option : benchmark->options()) read(option, line, options);
    for (const PerfOption& option : perf_common_options()) read(option, line, options);
    options.policy = line.text("policy");
  }
  options.machine = line.text_or("machine", options.machine);
  options.kernel = line.text_or("kernel", options.kernel);
  options.placement = line.text("placement");
  options.hash = line.text("hash");
  options.seed = line.seed();
  options.precision = line.precision();
  return options;
}

/// What `bench` is called with: null for `all`.
const PerfBenchmark* benchmark_of(const Arguments& arguments) {
  std::string found;
  for (const std::string& word : arguments) {
    if (word.starts_with("-")) break;
    found += (found.empty() ? "" : " ") + word;
  }
  std::vector<std::string> known;
  for (const PerfBenchmark* benchmark : perf_benchmarks()) {
    const std::string name = "futex " + std::string(benchmark->name());
    if (found == name) return benchmark;
    known.push_back(name);
  }
  known.push_back(std::string("futex ") + all);
  if (found == known.back()) return nullptr;
  throw InputError({.source = "bench"}, found.empty() ? "no benchmark" : in_quotes(found),
                   listed(known), nearest_name(found, known));
}

std::string general_help() {
  std::string out =
      "usage: futexsim bench futex BENCHMARK [options]\n\n"
      "perf bench futex on a simulated machine: perf's options and output.\n\n";
  for (const PerfBenchmark* benchmark : perf_benchmarks()) {
    std::string name(benchmark->name());
    name.resize(15, ' ');
    out += "  " + name + std::string(benchmark->help()) + "\n";
  }
  return out +
         "  all            each of them in turn\n\nfutexsim bench futex BENCHMARK --help says "
         "more.\n";
}

struct Job {
  const PerfBenchmark& benchmark;
  Point point;
};

}  // namespace

int bench(const Arguments& arguments) {
  if (!arguments.empty() && (arguments.front() == "--help" || arguments.front() == "-h")) {
    Output().write(general_help());
    return done;
  }
  const PerfBenchmark* const benchmark = benchmark_of(arguments);
  const CommandLine described_line = described(benchmark);
  const ParsedLine line(described_line, arguments);
  if (line.wants_help()) return print_help(described_line);
  const std::string format =
      benchmark != nullptr ? line.choice("format", {"perf", "json", "csv", "table"}) : "perf";
  const PerfFutexOptions options = read(benchmark, line);
  const Catalogue catalogue(Catalogue::default_folder());
  std::vector<Job> jobs;
  for (const PerfBenchmark* one : perf_benchmarks()) {
    if (benchmark != nullptr && one != benchmark) continue;
    jobs.push_back({*one, one->point(options, catalogue)});
  }
  const Envelope envelope(catalogue);
  const Interruption interruption(Output::is_file(line.text("output")));
  Output output(line.text("output"), model_files({&jobs.front().point, 1}, catalogue));
  PrecisionCheck precision;
  for (const auto& [one, point] : jobs) {
    if (format == "perf") {
      output.write(benchmark != nullptr ? perf_title(one) : perf_title_of_many(one));
      output.write(one.heading(options, point));
    }
    const std::optional<PointResult> result = simulate_unless_interrupted(point);
    if (!result) return interrupted;
    output.write(format == "perf" ? one.findings(options, point, *result)
                                  : result_text(point, *result, envelope, format, false));
    if (format == "perf") report_model_error(envelope.at(point));
    if (benchmark == nullptr) output.write("\n");
    precision.add(*result, point.parameters().precision);
  }
  output.finish();
  precision.report();
  return done;
}

}  // namespace futexsim::cli
