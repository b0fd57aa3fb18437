#include "futexsim/parts/rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <regex>

#include "futexsim/parts/nearest_name.hpp"

namespace futexsim::rules {
namespace {

using nlohmann::json;

/// std::regex recurses with the length of the string.
constexpr std::size_t longest_matched = 256;

/// Integers in full, other numbers in the shortest form that reads back the same.
std::string number_text(double value) {
  std::array<char, 32> buffer{};
  constexpr double exact = 9007199254740992.0;
  const bool whole = std::abs(value) <= exact && value == std::trunc(value);
  const auto end = whole ? std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                         static_cast<std::int64_t>(value))
                         : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end.ptr};
}

bool within(long double value, const Rules& rules) {
  return (!rules.min || value >= static_cast<long double>(*rules.min)) &&
         (!rules.max || value <= static_cast<long double>(*rules.max));
}

json bound(double value, bool integer) {
  constexpr double exact = 9007199254740992.0;
  if (integer && std::abs(value) <= exact) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace

std::string allowed_number(const Rules& rules, bool integer) {
  std::string text = integer ? "an integer" : "a number";
  // The bounds of 64-bit types bound nothing that a user would think of.
  const auto worth_saying = [](const std::optional<double>& value) {
    return value && std::abs(*value) < 9.2e18;
  };
  const bool least = worth_saying(rules.min);
  const bool greatest = worth_saying(rules.max);
  if (least && greatest) {
    text += " from " + number_text(*rules.min) + " to " + number_text(*rules.max);
  } else if (least) {
    text += " of at least " + number_text(*rules.min);
  } else if (greatest) {
    text += " of at most " + number_text(*rules.max);
  }
  if (!rules.unit.empty()) text += " (" + rules.unit + ")";
  return text;
}

std::int64_t read_signed(const Cursor& value, const Rules& rules) {
  const json& node = value.value();
  const bool too_great =
      node.is_number_unsigned() &&
      node.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (node.is_number_integer() && !too_great) {
    const auto number = node.get<std::int64_t>();
    if (within(static_cast<long double>(number), rules)) return number;
  }
  value.refuse(allowed_number(rules, true));
}

std::uint64_t read_unsigned(const Cursor& value, const Rules& rules) {
  const json& node = value.value();
  const bool negative =
      !node.is_number_unsigned() && node.is_number_integer() && node.get<std::int64_t>() < 0;
  if (node.is_number_integer() && !negative) {
    const auto number = node.get<std::uint64_t>();
    if (within(static_cast<long double>(number), rules)) return number;
  }
  value.refuse(allowed_number(rules, true));
}

double read_number(const Cursor& value, const Rules& rules) {
  if (value.value().is_number()) {
    const double number = value.as_double();
    if (std::isfinite(number) && within(static_cast<long double>(number), rules)) return number;
  }
  value.refuse(allowed_number(rules, false));
}

const std::string& read_string(const Cursor& value, const Rules& rules) {
  if (!rules.allowed.empty()) {
    if (!value.is_string()) value.refuse(listed(rules.allowed));
    const std::string& text = value.as_string();
    if (std::find(rules.allowed.begin(), rules.allowed.end(), text) == rules.allowed.end()) {
      value.refuse(listed(rules.allowed), nearest_name(text, rules.allowed));
    }
    return text;
  }
  const std::string& text = value.as_string();
  if (rules.pattern.empty()) return text;
  if (text.size() > longest_matched || !std::regex_match(text, std::regex(rules.pattern))) {
    value.refuse("a string that matches " + rules.pattern +
                 (rules.help.empty() ? "" : " (" + rules.help + ")"));
  }
  return text;
}

void check_items(const Cursor& list, const Rules& rules) {
  if (!list.is_array()) list.refuse("an array");
  const std::size_t size = list.value().size();
  const std::string found = "an array of " + std::to_string(size) + " values";
  if (rules.min_items && size < *rules.min_items) {
    throw list.error(found, "at least " + std::to_string(*rules.min_items));
  }
  if (rules.max_items && size > *rules.max_items) {
    throw list.error(found, "at most " + std::to_string(*rules.max_items));
  }
  if (!rules.unique) return;
  std::vector<std::string> seen;
  for (const json& element : list.value()) {
    seen.push_back(element.dump(-1, ' ', false, json::error_handler_t::replace));
  }
  for (std::size_t i = 1; i < size; ++i) {
    const auto end = seen.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(seen.begin(), end, seen[i]) == end) continue;
    const Cursor element = list.at(i);
    throw element.error(element.description() + " a second time", "each element once");
  }
}

json number_schema(const Rules& rules, bool integer) {
  json schema = {{"type", integer ? "integer" : "number"}};
  if (rules.min) schema["minimum"] = bound(*rules.min, integer);
  if (rules.max) schema["maximum"] = bound(*rules.max, integer);
  return schema;
}

json string_schema(const Rules& rules) {
  if (!rules.allowed.empty()) return {{"enum", rules.allowed}};
  json schema = {{"type", "string"}};
  if (!rules.pattern.empty()) schema["pattern"] = "^(?:" + rules.pattern + ")$";
  return schema;
}

json list_schema(const Rules& rules, json element) {
  json schema = {{"type", "array"}, {"items", std::move(element)}};
  if (rules.min_items) schema["minItems"] = *rules.min_items;
  if (rules.max_items) schema["maxItems"] = *rules.max_items;
  if (rules.unique) schema["uniqueItems"] = true;
  return schema;
}

Rules narrowed(Rules rules, double least, double greatest) {
  rules.min = std::max(rules.min.value_or(least), least);
  rules.max = std::min(rules.max.value_or(greatest), greatest);
  return rules;
}

}  // namespace futexsim::rules
