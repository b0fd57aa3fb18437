#include <algorithm>
#include <cstdio>
#include <sstream>

#include "command.hpp"
#include "command_line.hpp"
#include "futexsim/experiment/calibration.hpp"
#include "futexsim/experiment/calibration_report.hpp"
#include "interruption.hpp"
#include "output.hpp"
#include "progress.hpp"

namespace futexsim::cli {
namespace {

CommandLine described() {
  CommandLine line(
      "calibrate [MACHINE] [options]",
      "Chooses numbers of a machine so that published tables come out: least squares of the log "
      "errors.\nPrints the numbers with 95 % uncertainties, which table tells which number, and "
      "the tables' errors\nbefore and after, with seeds that the fit didn't see. Writes the "
      "machine's file only with -o or --write.\nOn SIGINT the best numbers so far are written.");
  line.positional("MACHINE", 0, 1)
      .option("recipe", "NAME|FILE", "what to fit, as in configs/calibrations; options change it")
      .option("tables", "NAME,...", "published tables or CSV files to meet")
      .option("fit", "NUMBER,...",
              "what to choose: JSON pointers, or their ends, as in same_l3,links/0/one_way")
      .options("set", "/POINTER=VALUE", "replaces a value of the recipe")
      .option("replications", "N", "of each row at each evaluation (default 8)")
      .option("iterations", "N", "after which the fit ends (default 10)")
      .option("seed", "N", "of the fit (default 1); the next one judges it")
      .option("jobs,j", "N", "replications simulated at a time (default: one for each CPU)")
      .option("format", "FORMAT", "of what is printed: table (default) or json")
      .option("output,o", "FILE", "write the machine's file with the new numbers there")
      .flag("write", "write it over the machine's own file");
  return line;
}

nlohmann::json split(const std::string& text) {
  nlohmann::json out = nlohmann::json::array();
  std::istringstream names(text);
  for (std::string name; std::getline(names, name, ',');) out.push_back(name);
  return out;
}

/// The recipe's file, if any, changed by the options.
Document read_recipe(const ParsedLine& options, const Catalogue& catalogue) {
  const auto file = options.text("recipe");
  Document recipe = file ? Calibration::read(*file, catalogue) : Document("calibrate");
  if (!options.positional().empty()) {
    recipe.set("/machine", options.positional().front(), "MACHINE");
  }
  for (const std::string name : {"tables", "fit"}) {
    if (const auto names = options.text(name)) {
      recipe.set('/' + name, split(*names), "--" + name);
    }
  }
  for (const std::string name : {"replications", "iterations"}) {
    if (const auto count = options.integer(name, 1, 1000)) {
      recipe.set('/' + name, *count, "--" + name);
    }
  }
  if (const auto seed = options.seed()) recipe.set("/seed", *seed, "--seed");
  for (const std::string& assignment : options.texts("set")) {
    recipe.set_from_option("--set", assignment);
  }
  return recipe;
}

/// Where the machine's file goes, if anywhere.
std::optional<std::string> target(const ParsedLine& options, const Calibration& calibration) {
  std::optional<std::string> file = options.text("output");
  if (options.has("write")) {
    if (file) throw InputError({.source = "calibrate"}, "-o and --write", "one of them");
    return calibration.machine_file();
  }
  if (file && !Output::is_file(file)) {
    throw InputError({.source = "--output"}, in_quotes(*file),
                     "a file; standard output gets the report");
  }
  return file;
}

/// What the machine's file must not replace.
std::vector<std::string> protected_files(const ParsedLine& options,
                                         const Calibration& calibration) {
  std::vector<std::string> files = calibration.inputs();
  if (options.has("write")) std::erase(files, calibration.machine_file());
  return files;
}

/// Returns the exit status.
int end_interrupted(const Calibration& calibration, const CalibrationResult& result,
                    std::optional<Output>& output) {
  const bool better = std::any_of(result.numbers.begin(), result.numbers.end(),
                                  [](const auto& n) { return n.value != n.number.start; });
  if (better && output) {
    output->write(calibrated_machine(calibration, result));
    output->finish();
  }
  std::fprintf(stderr, "futexsim: interrupted in iteration %d: %s\n", result.iterations + 1,
               better && output ? "best numbers so far kept" : "nothing kept");
  return interrupted;
}

}  // namespace

int calibrate(const Arguments& arguments) {
  const CommandLine line = described();
  const ParsedLine options(line, arguments);
  if (options.wants_help()) return print_help(line);
  const std::string format = options.choice("format", {"table", "json"});
  const unsigned jobs = options.jobs();
  const Catalogue catalogue(Catalogue::default_folder());
  const Calibration calibration(read_recipe(options, catalogue), catalogue);
  const std::optional<std::string> file = target(options, calibration);
  const Interruption interruption(file.has_value());
  std::optional<Output> output;
  if (file) output.emplace(file, protected_files(options, calibration));

  const std::size_t points = most_points(calibration);
  Progress progress(points);
  const CalibrationResult result = futexsim::calibrate(
      calibration, jobs,
      {.progress = [&](std::size_t count) { progress.show(std::min(count, points - 1)); },
       .interrupted = [] { return Interruption::requested(); }});
  progress.clear();
  if (result.interrupted) return end_interrupted(calibration, result, output);
  Output().write(format == "json" ? calibration_json(calibration, result)
                                  : calibration_text(calibration, result));
  if (output) {
    output->write(calibrated_machine(calibration, result));
    output->finish();
  }
  return done;
}

}  // namespace futexsim::cli
