#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "futexsim/experiment/catalogue.hpp"
#include "futexsim/experiment/point.hpp"

namespace futexsim {

/// How rows are simulated; what isn't given is as a config's default.
struct RowSettings {
  std::optional<std::uint64_t> seed;
  std::optional<double> precision;
};

/// A measurement, and the point that repeats it.
struct PublishedRow {
  nlohmann::ordered_json columns;  ///< the row's own, numbers as numbers, an empty one as null
  std::optional<double> ops_per_sec_per_thread;
  std::optional<Point> point;
  std::string not_run;  ///< why there is no point
  bool fitted = false;  ///< a number of the machine's or kernel's file was fitted to the table
};

/// Rows that share the column `table`. Columns: configs/published/README.md.
struct PublishedTable {
  std::string name;
  std::string file;
  std::vector<PublishedRow> rows;

  bool fitted() const;
};

/// The column `policy`: "global-shared-futex" is the policy "global" with process-shared futexes.
struct PublishedPolicy {
  explicit PublishedPolicy(const std::string& column);

  std::string name;
  bool is_shared;
};

/// The tables of a CSV file, or of all CSV files of a folder in name order. A row that asks for
/// what the model, the machine or the kernel hasn't got has no point, and says why. InputError for
/// broken CSV, a field that isn't what its column holds, and a broken machine or kernel file.
std::vector<PublishedTable> read_published(const std::string& path, const Catalogue& catalogue,
                                           const RowSettings& settings);

}  // namespace futexsim
