#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace futexsim {

/// A number with its provenance somewhere in a machine's or kernel's file (see Quantity).
struct SourcedNumber {
  std::string pointer;
  nlohmann::json quantity;
};

/// All of them, in the order of their pointers.
std::vector<SourcedNumber> sourced_numbers(const nlohmann::json& file);

/// Is one of them fitted to the published table?
bool fitted_to(const nlohmann::json& file, const std::string& table);

}  // namespace futexsim
