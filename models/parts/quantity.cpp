#include "futexsim/parts/quantity.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "futexsim/parts/declaration.hpp"
#include "futexsim/parts/nearest_name.hpp"

namespace futexsim {
namespace {

using nlohmann::json;

const std::vector<std::string>& origin_names() {
  static const std::vector<std::string> names{"published", "measured", "fitted", "guess",
                                              "borrowed"};
  return names;
}

}  // namespace

template <>
struct Codec<Origin> {
  static Rules named() { return {.allowed = origin_names()}; }
  static Origin read(const Cursor& value, const Rules&) {
    const std::string& name = rules::read_string(value, named());
    const auto found = std::find(origin_names().begin(), origin_names().end(), name);
    return static_cast<Origin>(found - origin_names().begin());
  }
  static json schema(const Rules&) { return rules::string_schema(named()); }
  static json write(Origin origin) { return to_string(origin); }
  static std::string type(const Rules&) { return "one of " + listed(origin_names()); }
};

namespace {

void check_provenance(const Quantity& quantity, const Cursor& object) {
  if (quantity.source.find_first_not_of(" \t\r\n") == std::string::npos) {
    object.at("source").refuse("where the number comes from, in words");
  }
  const std::string origin = "origin " + in_quotes(to_string(quantity.origin));
  const bool fitted = quantity.origin == Origin::fitted;
  if (fitted && quantity.tables.empty()) {
    throw object.error(origin + " without \"tables\"",
                       "the names of the tables that the number was fitted to");
  }
  if (!fitted && object.find("tables")) {
    throw object.error_at_key("tables", "\"tables\" beside " + origin,
                              "\"tables\" only where the origin is \"fitted\"");
  }
  if (quantity.uncertainty && !fitted && quantity.origin != Origin::measured) {
    throw object.error_at_key("uncertainty", "\"uncertainty\" beside " + origin,
                              "it only where the origin is \"fitted\" or \"measured\"");
  }
}

const Declaration<Quantity>& declaration() {
  static const auto d =
      Declaration<Quantity>("quantity", "")
          .required("value", &Quantity::value)
          .required("unit", &Quantity::unit)
          .required("origin", &Quantity::origin, {.help = "Where the number comes from."})
          .required("source", &Quantity::source,
                    {.help = "The page, table, measurement or argument."})
          .optional("tables", &Quantity::tables,
                    {.help = "The published tables that it was fitted to.", .unique = true})
          .optional("uncertainty", &Quantity::uncertainty,
                    {.help = "Half-width, in the same unit.", .min = 0})
          .check(check_provenance);
  return d;
}

}  // namespace

std::string to_string(Origin origin) {
  return origin_names().at(static_cast<std::size_t>(origin));
}

std::int64_t Quantity::scaled(double factor) const {
  const double product = value * factor;
  constexpr double limit = 9223372036854775808.0;
  if (!(std::abs(product) < limit)) throw std::logic_error("Quantity::scaled() beyond 64 bits");
  return std::llround(product);
}

Quantity Codec<Quantity>::read(const Cursor& object, const Rules& rules) {
  Quantity quantity = declaration().read(object);
  if (quantity.unit != rules.unit) object.at("unit").refuse(in_quotes(rules.unit));
  rules::read_number(object.at("value"), rules);
  return quantity;
}

json Codec<Quantity>::schema(const Rules& rules) {
  json schema = declaration().members_schema();
  schema["properties"]["value"] = rules::number_schema(rules, false);
  schema["properties"]["unit"] = {{"const", rules.unit}};
  schema["properties"]["source"]["pattern"] = "\\S";
  schema["properties"]["tables"]["minItems"] = 1;
  schema["properties"]["tables"].erase("default");
  const auto when_origin = [](const std::vector<std::string>& origins) {
    return json{{"properties", {{"origin", {{"enum", origins}}}}}};
  };
  const auto needs = [](const char* key) { return json{{"required", json::array({key})}}; };
  const auto without = [&](const char* key) { return json{{"not", needs(key)}}; };
  schema["allOf"] = json::array(
      {{{"if", when_origin({"fitted"})}, {"then", needs("tables")}, {"else", without("tables")}},
       {{"if", when_origin({"fitted", "measured"})}, {"else", without("uncertainty")}}});
  return schema;
}

json Codec<Quantity>::write(const Quantity& quantity) {
  json out = declaration().write(quantity);
  if (quantity.tables.empty()) out.erase("tables");
  return out;
}

std::string Codec<Quantity>::type(const Rules& rules) {
  return "a quantity, " + rules::allowed_number(rules, false);
}

}  // namespace futexsim
