#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "futexsim/parts/cursor.hpp"

namespace futexsim {

/// What is said about a parameter beside its name and type. In a list or map, `min`, `max`,
/// `allowed`, `pattern` and `unit` hold for each element. Written as designated initialisers:
/// `{.unit = "threads", .help = "...", .min = 1, .max = 65536}`.
struct Rules {
  std::string unit = {};
  std::string help = {};
  std::optional<double> min = {};         ///< least number, included
  std::optional<double> max = {};         ///< greatest number, included
  std::vector<std::string> allowed = {};  ///< the only strings
  std::string pattern = {};               ///< ECMAScript regular expression for the whole string
  std::optional<std::size_t> min_items = {};
  std::optional<std::size_t> max_items = {};
  bool unique = false;  ///< no element of a list twice
};

/// Readers that types share. Each throws InputError through its cursor.
namespace rules {

/// What a number may be, for messages: "an integer from 1 to 65536 (threads)".
std::string allowed_number(const Rules& rules, bool integer);

/// `value` must be an integer in JSON's spelling (no fraction, no exponent) within the rules.
/// The rules' bounds must lie within the type's.
std::int64_t read_signed(const Cursor& value, const Rules& rules);
std::uint64_t read_unsigned(const Cursor& value, const Rules& rules);
double read_number(const Cursor& value, const Rules& rules);
const std::string& read_string(const Cursor& value, const Rules& rules);
void check_items(const Cursor& list, const Rules& rules);

nlohmann::json number_schema(const Rules& rules, bool integer);
nlohmann::json string_schema(const Rules& rules);
nlohmann::json list_schema(const Rules& rules, nlohmann::json element);

/// `rules` with its bounds narrowed to `least` and `greatest`.
Rules narrowed(Rules rules, double least, double greatest);

}  // namespace rules
}  // namespace futexsim
