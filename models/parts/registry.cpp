#include "futexsim/parts/registry.hpp"

namespace futexsim::registry_detail {

using nlohmann::json;

Cursor name_in(const Cursor& choice) {
  if (choice.is_string()) return choice;
  if (!choice.is_object()) choice.refuse("a name, or an object with \"name\" and parameters");
  const Cursor name = choice.at(part_name_key);
  name.as_string();
  return name;
}

json named(const std::string& name, json parameters) {
  parameters[part_name_key] = name;
  return parameters;
}

json named_schema(const std::string& name, json parameters_schema) {
  parameters_schema["properties"][part_name_key] = {{"const", name}};
  parameters_schema["required"].push_back(part_name_key);
  return parameters_schema;
}

}  // namespace futexsim::registry_detail
