#pragma once

#include <map>
#include <optional>
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

/// The same for each table, by the bounds.json beside its file, if there is one.
std::vector<std::string> broken_bounds(const Validation& validation);

}  // namespace futexsim
