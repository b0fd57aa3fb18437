#pragma once

#include <string>

#include "futexsim/experiment/validation.hpp"

namespace futexsim {

/// {"tables": [{"table", "role", "median_abs_error", ..., "rows": [...]}]}, errors as fractions.
std::string validation_json(const Validation& validation);
/// The tables' own columns and what was simulated, one line a row.
std::string validation_csv(const Validation& validation);
/// Published and simulated side by side, for people.
std::string validation_text(const Validation& validation);

}  // namespace futexsim
