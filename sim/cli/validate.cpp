#include "futexsim/experiment/validation.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "command.hpp"
#include "command_line.hpp"
#include "futexsim/experiment/catalogue.hpp"
#include "futexsim/experiment/validation_bounds.hpp"
#include "futexsim/experiment/validation_report.hpp"
#include "futexsim/parts/nearest_name.hpp"
#include "interruption.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "results.hpp"

namespace futexsim::cli {
namespace {

CommandLine described() {
  CommandLine line("validate [TABLE...] [options]",
                   "Simulates the rows of published tables and puts them side by side. Exit status "
                   "1 when a table\nexceeds its bounds (bounds.json beside the tables). An "
                   "interrupted validation reports nothing.");
  line.positional("TABLE", 0, 1000)
      .options("tables", "FILE|DIR", "tables to take instead of configs/published")
      .option("hypothesis", "NAME|FILE",
              "compares with what a conjectured cause would make of each row "
              "(futexsim list hypotheses)")
      .option("format", "FORMAT", "table (default), json or csv")
      .option("output,o", "FILE", "write there instead of to standard output")
      .option("jobs,j", "N", "points simulated at a time (default: one for each CPU)")
      .option("seed", "N", "of all randomness (default 1)")
      .option("precision", "P", precision_help());
  return line;
}

std::vector<PublishedTable> read_tables(const ParsedLine& options, const Catalogue& catalogue) {
  std::vector<std::string> paths = options.texts("tables");
  if (paths.empty()) paths.push_back((catalogue.folder() / "published").string());
  std::vector<PublishedTable> tables;
  for (const std::string& path : paths) {
    for (PublishedTable& table :
         read_published(path, catalogue, {options.seed(), options.precision()})) {
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

std::vector<PublishedTable> selected(std::vector<PublishedTable> tables,
                                     const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  names.reserve(tables.size());
  for (const PublishedTable& table : tables) names.push_back(table.name);
  for (const std::string& name : wanted) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw InputError({.source = "validate"}, "the table " + in_quotes(name), listed(names),
                     nearest_name(name, names));
  }
  if (wanted.empty()) return tables;
  std::erase_if(tables, [&](const PublishedTable& table) {
    return std::find(wanted.begin(), wanted.end(), table.name) == wanted.end();
  });
  return tables;
}

/// What the report must not overwrite.
std::vector<std::string> input_files(const std::vector<PublishedTable>& tables) {
  std::vector<std::string> out;
  std::vector<Point> points;
  for (const PublishedTable& table : tables) {
    out.push_back(table.file);
    out.push_back((std::filesystem::path(table.file).parent_path() / "bounds.json").string());
    for (const PublishedRow& row : table.rows) {
      if (row.point) points.push_back(*row.point);
    }
  }
  const Catalogue catalogue(Catalogue::default_folder());
  const std::vector<std::string> models = model_files(points, catalogue);
  out.insert(out.end(), models.begin(), models.end());
  return out;
}

std::optional<Hypothesis> chosen(const ParsedLine& options, const Catalogue& catalogue) {
  const std::optional<std::string> name = options.text("hypothesis");
  if (!name) return std::nullopt;
  Document choice("--hypothesis");
  choice.set("/hypothesis", *name, "--hypothesis");
  return catalogue.hypothesis(choice.cursor().at("hypothesis"));
}

std::string report(const Validation& validation, const std::string& format) {
  if (format == "json") return validation_json(validation);
  if (format == "csv") return validation_csv(validation);
  return validation_text(validation);
}

}  // namespace

int validate(const Arguments& arguments) {
  const CommandLine line = described();
  const ParsedLine options(line, arguments);
  if (options.wants_help()) return print_help(line);
  const std::string format = options.choice("format", {"table", "json", "csv"});
  const unsigned jobs = options.jobs();
  const Catalogue catalogue(Catalogue::default_folder());
  const std::vector<PublishedTable> tables =
      selected(read_tables(options, catalogue), options.positional());
  const std::optional<Hypothesis> hypothesis = chosen(options, catalogue);
  std::vector<PublishedTable> assumed;
  if (hypothesis) {
    assumed = selected(read_tables(options, catalogue.assuming(*hypothesis)), options.positional());
  }
  const auto bounds = bounds_beside(tables);
  const std::size_t points = different_points(tables) + different_points(assumed);
  const Interruption interruption(Output::is_file(options.text("output")));
  Output output(options.text("output"), input_files(tables));

  Progress progress(points);
  PrecisionCheck precision;
  const double wanted = options.precision().value_or(PointParameters().precision);
  const auto run = [&](const std::vector<PublishedTable>& some, std::size_t before) {
    return futexsim::validate(
        some, jobs,
        {.finished = [&](std::size_t, const PointResult& result) { precision.add(result, wanted); },
         .progress = [&](std::size_t count) { progress.show(before + count); },
         .interrupted = [] { return Interruption::requested(); }});
  };
  Validation validation = run(tables, 0);
  const Validation under = run(assumed, different_points(tables));
  progress.clear();
  if (validation.interrupted || under.interrupted) return report_interruption(0, points);
  if (hypothesis) compare_with(validation, hypothesis->name, under);
  output.write(report(validation, format));
  output.finish();
  precision.report();
  const std::vector<std::string> broken = broken_bounds(validation, bounds);
  for (const std::string& bound : broken) std::fprintf(stderr, "futexsim: %s\n", bound.c_str());
  return broken.empty() ? done : comparison_failed;
}

}  // namespace futexsim::cli
