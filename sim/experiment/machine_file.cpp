#include "futexsim/experiment/machine_file.hpp"

#include <algorithm>
#include <cmath>

namespace futexsim {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t columns = 100;

bool holds_object(const ordered_json& value) {
  return value.is_object() ||
         (value.is_array() && std::any_of(value.begin(), value.end(), holds_object));
}

std::string on_one_line(const ordered_json& value) {
  if (!value.is_array()) return value.dump();
  std::string out;
  for (const ordered_json& element : value) {
    out += (out.empty() ? "" : ", ") + on_one_line(element);
  }
  return '[' + out + ']';
}

/// `used`: columns that stand before the value in its line.
void write(const ordered_json& value, std::size_t level, std::size_t used, std::string& out) {
  if (!holds_object(value) || value.empty()) {
    const std::string line = on_one_line(value);
    constexpr std::size_t comma = 1;
    if (!value.is_array() || value.empty() || used + line.size() + comma <= columns) {
      out += line;
      return;
    }
  }
  const std::string indent((level + 1) * 2, ' ');
  const bool object = value.is_object();
  out += object ? '{' : '[';
  bool first = true;
  for (const auto& [key, member] : value.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    const std::string name = object ? ordered_json(key).dump() + ": " : "";
    out += indent + name;
    write(member, level + 1, indent.size() + name.size(), out);
  }
  out += '\n' + std::string(level * 2, ' ') + (object ? '}' : ']');
}

/// 61 and not 61.0.
ordered_json number(double value) {
  constexpr double exact = 1e15;
  if (value == std::floor(value) && std::abs(value) < exact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

}  // namespace

std::string json_text(const ordered_json& value) {
  std::string out;
  write(value, 0, 0, out);
  return out + '\n';
}

std::string with_fitted_numbers(const std::string& text, std::span<const NewNumber> numbers,
                                const std::vector<std::string>& tables) {
  const std::string byte_order_mark = "\xef\xbb\xbf";
  const bool marked = text.starts_with(byte_order_mark);
  ordered_json file = ordered_json::parse(text.substr(marked ? byte_order_mark.size() : 0));
  for (const NewNumber& fitted : numbers) {
    ordered_json& quantity = file.at(ordered_json::json_pointer(fitted.pointer));
    if (quantity.at("origin") != "fitted") {
      quantity["source"] = "chosen by least squares; before, " +
                           quantity.at("origin").get<std::string>() + ": " +
                           quantity.at("source").get<std::string>();
    }
    quantity["value"] = number(fitted.value);
    quantity["origin"] = "fitted";
    quantity["tables"] = tables;
    quantity.erase("uncertainty");
    if (fitted.uncertainty) quantity["uncertainty"] = number(*fitted.uncertainty);
  }
  return json_text(file);
}

}  // namespace futexsim
