#include "futexsim/experiment/provenance.hpp"

#include <algorithm>

#include "futexsim/parts/document.hpp"

namespace futexsim {
namespace {

using nlohmann::json;

bool is_quantity(const json& value) {
  return value.is_object() && value.contains("value") && value.contains("origin");
}

void collect(const json& value, const std::string& pointer, std::vector<SourcedNumber>& out) {
  if (is_quantity(value)) {
    out.push_back({pointer, value});
  } else if (value.is_structured()) {
    for (const auto& [key, member] : value.items()) collect(member, pointer_to(pointer, key), out);
  }
}

}  // namespace

std::vector<SourcedNumber> sourced_numbers(const json& file) {
  std::vector<SourcedNumber> out;
  collect(file, "", out);
  return out;
}

bool fitted_to(const json& file, const std::string& table) {
  const std::vector<SourcedNumber> numbers = sourced_numbers(file);
  return std::any_of(numbers.begin(), numbers.end(), [&](const SourcedNumber& number) {
    const auto tables = number.quantity.find("tables");
    return tables != number.quantity.end() &&
           std::find(tables->begin(), tables->end(), table) != tables->end();
  });
}

}  // namespace futexsim
