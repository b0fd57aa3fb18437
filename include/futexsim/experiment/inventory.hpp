#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "futexsim/experiment/catalogue.hpp"
#include "futexsim/parts/declaration.hpp"

namespace futexsim {

/// Something that a config can name.
struct InventoryItem {
  std::string name;
  std::string help;
  std::vector<ParameterInfo> parameters;
};

/// "machines", "kernels", "policies", ... in the order in which `list` shows them.
std::vector<std::string> inventory_kinds();

/// What there is of a kind, in name order. Requires one of inventory_kinds().
std::vector<InventoryItem> inventory(const std::string& kind, const Catalogue& catalogue);

std::string inventory_text(const std::vector<InventoryItem>& items);
nlohmann::ordered_json inventory_json(const std::vector<InventoryItem>& items);

/// What `schema` knows, and the JSON Schema of each.
std::vector<std::string> schema_names();
nlohmann::json schema_of(const std::string& name);

/// A machine's description, and its numbers with unit, origin and source, for people.
std::string machine_text(const Machine& machine);

}  // namespace futexsim
