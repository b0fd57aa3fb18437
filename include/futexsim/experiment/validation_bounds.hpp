#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "futexsim/experiment/validation.hpp"
#include "futexsim/parts/declaration.hpp"

namespace futexsim {

/// What the tree claims for a table: absolute relative errors, as fractions.
struct ValidationBound {
  double median = 0;
  double worst = 0;
  std::string reason;
  std::vector<std::string> without_policies;

  static const Declaration<ValidationBound>& declaration();
};

/// A bounds.json: {"e5-28": {"median": 0.05, "worst": 0.15, "reason": "..."}}.
using ValidationBounds = std::map<std::string, ValidationBound>;

ValidationBounds read_bounds(const std::string& path);

/// One line for each bound that the table breaks. A row that counts but wasn't run breaks it.
std::vector<std::string> broken_bounds(const TableOutcome& outcome, const ValidationBound& bound);

/// The bound of each table in the bounds.json beside its file, where there is one.
std::vector<std::optional<ValidationBound>> bounds_beside(std::span<const PublishedTable> tables);

/// The lines of all tables, in order. `bounds`: one for each table.
std::vector<std::string> broken_bounds(const Validation& validation,
                                       std::span<const std::optional<ValidationBound>> bounds);

}  // namespace futexsim
