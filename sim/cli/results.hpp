#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "futexsim/experiment/catalogue.hpp"
#include "futexsim/experiment/envelope.hpp"
#include "futexsim/experiment/experiment.hpp"
#include "futexsim/experiment/point.hpp"
#include "futexsim/parts/document.hpp"

namespace futexsim::cli {

/// The config that the first argument names, changed by --set, --seed and --precision.
Document read_config(const ParsedLine& options, const Catalogue& catalogue);

/// InputError when --set, --seed or --precision gives a value that the sweep replaces.
void refuse_swept_options(const ParsedLine& options, const Experiment& experiment);

/// The machine and kernel files of points: what an output file must not be.
std::vector<std::string> model_files(std::span<const Point> points, const Catalogue& catalogue);

/// What --precision says of itself.
std::string precision_help();
/// The same for a benchmark that perf repeats.
std::string precision_help_of_runs();

/// --method, and what it says of itself and its limits.
enum class Method { simulation, analytic };
void add_method_option(CommandLine& line);
/// InputError also for options that only a simulation can serve.
Method read_method(const ParsedLine& options);

/// Points whose results are less precise than asked for; report() says so on standard error.
class PrecisionCheck {
 public:
  void add(const PointResult& result, double wanted);
  void report() const;

 private:
  std::size_t points_ = 0;
  std::size_t missed_ = 0;
  double wanted_ = 0;
  double worst_ = 0;
  std::uint32_t replications_ = 0;
};

/// On standard error, beside results in perf's format, which has no place for it.
void report_model_error(const ModelError& error);

/// "12 of 40 points kept" on standard error. Returns the exit status.
int report_interruption(std::size_t kept, std::size_t points);

/// Simulates one point. Nothing when a signal came first, which is then reported. An Interruption
/// must live.
std::optional<PointResult> simulate_unless_interrupted(const Point& point);

/// A row of one point as table, json or csv.
std::string row_as(const nlohmann::ordered_json& row, const std::string& format);

/// The result of a point as table, json, csv or perf.
std::string result_text(const Point& point, const PointResult& result, const Envelope& envelope,
                        const std::string& format, bool explain, bool histogram = false);

}  // namespace futexsim::cli
