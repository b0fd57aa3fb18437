#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "futexsim/experiment/catalogue.hpp"
#include "futexsim/experiment/fit_statistics.hpp"
#include "futexsim/experiment/published_table.hpp"
#include "futexsim/experiment/validation.hpp"
#include "futexsim/parts/declaration.hpp"

namespace futexsim {

/// Rows of published tables that count more or less than others.
struct RowWeight {
  std::map<std::string, std::vector<nlohmann::json>> where;  ///< columns and what they may hold
  double weight = 1;
  std::string reason;

  static const Declaration<RowWeight>& declaration();
};

/// Which numbers of a machine to choose, and on what. A file of configs/calibrations.
struct CalibrationRecipe {
  Cursor machine;  ///< name or path
  std::vector<std::string> tables;
  std::vector<std::string> fit;
  std::map<std::string, double> start;
  std::vector<RowWeight> weights;
  std::uint32_t replications = 8;
  std::uint64_t seed = 1;
  std::uint32_t iterations = 10;

  static const Declaration<CalibrationRecipe>& declaration();
};

/// A number of the machine's file that is chosen.
struct FreeNumber {
  std::string pointer;  ///< of the quantity, as in "/memory/same_l3"
  std::string unit;
  double start;
  double least, greatest;  ///< as declared
};

/// A row of a published table to be met.
struct CalibrationRow {
  std::size_t table;  ///< its place in Calibration::tables()
  Point point;        ///< on the machine as it starts
  double published;   ///< operations per second and thread
  double weight;      ///< of the squared log error
};

/// A recipe that has been checked against the machine and the tables.
class Calibration {
 public:
  /// Tables are names in configs/published, or CSV files. Rows of other machines, rows that can't
  /// be run or that state no rate and rows of weight 0 are left out. InputError for what there
  /// isn't, and for fewer rows than numbers.
  Calibration(const Document& recipe, const Catalogue& catalogue);

  /// A file by its path, or by its name in configs/calibrations.
  static Document read(const std::string& name_or_path, const Catalogue& catalogue);

  const CalibrationRecipe& recipe() const { return recipe_; }
  const std::string& machine_file() const { return machine_file_; }
  const std::string& machine_text() const { return machine_text_; }
  const Machine& machine() const { return *machine_; }
  const std::vector<FreeNumber>& numbers() const { return numbers_; }
  const std::vector<std::string>& tables() const { return tables_; }
  const std::vector<CalibrationRow>& rows() const { return rows_; }
  /// All files that were read.
  const std::vector<std::string>& inputs() const { return inputs_; }

  /// The machine with these values for its numbers. InputError where they contradict each other.
  std::shared_ptr<const Machine> variant(std::span<const double> values) const;

 private:
  void read_numbers(const Cursor& recipe);
  void read_starts(const Cursor& recipe);
  void read_rows(const Cursor& recipe, Catalogue catalogue);
  /// `used`: the rules of weight that held for a row so far.
  void add(const PublishedTable& table, const Cursor& at, std::vector<bool>& used);
  double weight_of(const PublishedRow& row, std::vector<bool>& used) const;

  CalibrationRecipe recipe_;
  std::string machine_file_;
  std::string machine_text_;
  Document machine_document_;  ///< with the recipe's start values
  std::shared_ptr<const Machine> machine_;
  std::vector<FreeNumber> numbers_;
  std::vector<std::string> tables_;
  std::vector<CalibrationRow> rows_;
  std::vector<std::string> inputs_;
};

/// The quantity of a machine's file that `name` means: its JSON pointer, or the end of it from a
/// key on ("same_l3", "links/0/one_way"). InputError at the cursor when none or several end so.
std::string number_named(const nlohmann::json& machine, const Cursor& name);

struct FittedNumber {
  FreeNumber number;
  double value;                       ///< rounded to four digits
  std::optional<double> uncertainty;  ///< 95 % half-width in the same unit, rounded to two digits
  bool identified = true;             ///< see FitStatistics
  std::vector<double> shares;         ///< by table
  bool at_bound() const { return value <= number.least || value >= number.greatest; }
};

struct FitErrors {
  ErrorSummary before, after;
};

struct CalibrationResult {
  std::vector<FittedNumber> numbers;
  int iterations = 0;
  bool converged = false;
  /// Then numbers hold the best values so far, and nothing below is known.
  bool interrupted = false;
  /// With fresh seeds the start was no worse: numbers hold its values.
  bool start_kept = false;
  std::uint64_t fresh_seed = 0;
  std::vector<FitErrors> tables;  ///< with fresh seeds
  FitErrors all;                  ///< the same of all rows
  FitErrors own_seed;             ///< of all rows with the seed of the fit: what luck adds
  FitStatistics statistics;       ///< of the logs, with fresh seeds
};

struct CalibrationObserver {
  std::function<void(std::size_t points)> progress;  ///< simulated so far
  std::function<bool()> interrupted;
};

/// How many points calibrate() simulates if it takes all its iterations.
std::size_t most_points(const Calibration& calibration);

/// Least squares of log(simulated / published) over the rows, in the logs of the numbers, with the
/// same seed everywhere; then start and result with fresh seeds. Deterministic for any `jobs`.
CalibrationResult calibrate(const Calibration& calibration, unsigned jobs,
                            const CalibrationObserver& observer);

}  // namespace futexsim
