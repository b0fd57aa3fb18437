#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "futexsim/parts/codec.hpp"

namespace futexsim {

/// Where a number of a machine or kernel file comes from.
enum class Origin {
  published,  ///< stands in `source`
  measured,   ///< on the machine, as `source` tells
  fitted,     ///< chosen so that the simulator meets `tables`
  guess,      ///< nobody knows; `source` says why this much
  borrowed,   ///< from a machine like this one, named in `source`
};

std::string to_string(Origin origin);

/// A number with its unit and its provenance:
/// `{"value": 51, "unit": "ns", "origin": "fitted", "source": "...", "tables": ["e5-28"]}`.
/// A declaration gives its unit and bounds (Rules::unit, min, max); another unit is refused.
/// `tables` belongs to fitted numbers and only to them, `uncertainty` (in the same unit) to
/// fitted and measured ones.
struct Quantity {
  double value = 0;
  std::string unit = {};
  Origin origin = Origin::guess;
  std::string source = {};
  std::vector<std::string> tables = {};
  std::optional<double> uncertainty = {};

  /// value * factor, rounded half away from zero; the same on every machine. The product must
  /// lie within 64 bits.
  std::int64_t scaled(double factor) const;
};

template <>
struct Codec<Quantity> {
  static Quantity read(const Cursor& object, const Rules& rules);
  static nlohmann::json schema(const Rules& rules);
  static nlohmann::json write(const Quantity& quantity);
  static std::string type(const Rules& rules);
};

}  // namespace futexsim
