#include "futexsim/parts/declaration.hpp"

#include <algorithm>

#include "futexsim/parts/nearest_name.hpp"

namespace futexsim {

using nlohmann::json;

std::string Codec<std::string>::type(const Rules& rules) {
  if (!rules.allowed.empty()) return "one of " + listed(rules.allowed);
  return rules.pattern.empty() ? "a string" : "a string that matches " + rules.pattern;
}

namespace declaration_detail {

void check_keys(const Cursor& object, const std::vector<std::string>& known,
                std::string_view beside) {
  for (const auto& [key, member] : object.members()) {
    if (key == beside || (key == "$schema" && object.is_root())) continue;
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    throw object.error_at_key(key, "the unknown key " + in_quotes(key), listed(known),
                              nearest_name(key, known));
  }
}

void refuse_missing(const Cursor& object, const ParameterInfo& parameter) {
  throw object.error("no key " + in_quotes(parameter.name),
                     in_quotes(parameter.name) + " with " + parameter.type);
}

json object_schema(const std::string& help, const std::vector<ParameterInfo>& parameters) {
  json properties = json::object();
  json required = json::array();
  for (const ParameterInfo& parameter : parameters) {
    json schema = parameter.schema;
    std::string description = parameter.help;
    if (!parameter.unit.empty()) {
      description += (description.empty() ? "In " : " In ") + parameter.unit + '.';
    }
    if (!description.empty()) schema["description"] = description;
    if (!parameter.default_value.is_null()) schema["default"] = parameter.default_value;
    if (parameter.required) required.push_back(parameter.name);
    properties[parameter.name] = std::move(schema);
  }
  json schema = {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!help.empty()) schema["description"] = help;
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

json as_document_schema(const std::string& name, json schema) {
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = name;
  schema["properties"]["$schema"] = {{"type", "string"}};
  return schema;
}

}  // namespace declaration_detail
}  // namespace futexsim
