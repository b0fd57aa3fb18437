#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace futexsim {

/// A number of a machine's file that was fitted anew.
struct NewNumber {
  std::string pointer;  ///< of the quantity
  double value;
  std::optional<double> uncertainty;
};

/// The text of a machine's file with numbers replaced: value, uncertainty, origin "fitted" and the
/// tables. A number that was not fitted before says so in its source, in front of the old one.
/// Everything else stays, in its order. `text` must be a machine's file that has the numbers.
std::string with_fitted_numbers(const std::string& text, std::span<const NewNumber> numbers,
                                const std::vector<std::string>& tables);

/// JSON as the shipped files are laid out: two spaces a level, a list without objects on one line
/// where it fits into 100 columns.
std::string json_text(const nlohmann::ordered_json& value);

}  // namespace futexsim
