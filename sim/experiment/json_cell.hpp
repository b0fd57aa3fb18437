#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace futexsim {

/// The number, or null, as JSON has no infinity and no NaN.
inline nlohmann::ordered_json finite(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

/// A scalar as a table's cell: empty for null, strings without quotes.
inline std::string cell(const nlohmann::ordered_json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace futexsim
