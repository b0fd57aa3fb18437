#include "futexsim/parts/cursor.hpp"

#include <utility>

#include "document_state.hpp"
#include "futexsim/parts/nearest_name.hpp"

namespace futexsim {

using nlohmann::json;

Cursor::Cursor(std::shared_ptr<const Document::State> state, const json* node, std::string pointer)
    : state_(std::move(state)), node_(node), pointer_(std::move(pointer)) {}

Cursor Cursor::child(const json& node, std::string_view key) const {
  return {state_, &node, pointer_to(pointer_, key)};
}

Location Cursor::location() const {
  return state_->location(pointer_);
}

Cursor Cursor::at(std::string_view key) const {
  if (const std::optional<Cursor> member = find(key)) return *member;
  throw error("no key " + in_quotes(key), "an object with " + in_quotes(key));
}

Cursor Cursor::at(std::size_t index) const {
  if (!node_->is_array()) refuse("an array");
  if (index < node_->size()) return child((*node_)[index], std::to_string(index));
  throw error("an array of " + std::to_string(node_->size()) + " values",
              "at least " + std::to_string(index + 1));
}

std::optional<Cursor> Cursor::find(std::string_view key) const {
  if (!node_->is_object()) refuse("an object");
  const auto member = node_->find(key);
  if (member == node_->end()) return std::nullopt;
  return child(*member, key);
}

std::vector<std::pair<std::string, Cursor>> Cursor::members() const {
  if (!node_->is_object()) refuse("an object");
  std::vector<std::pair<std::string, Cursor>> out;
  for (const auto& [key, node] : node_->items()) out.emplace_back(key, child(node, key));
  return out;
}

std::vector<Cursor> Cursor::elements() const {
  if (!node_->is_array()) refuse("an array");
  std::vector<Cursor> out;
  for (std::size_t i = 0; i < node_->size(); ++i) out.push_back(at(i));
  return out;
}

double Cursor::as_double() const {
  if (!node_->is_number()) refuse("a number");
  return node_->get<double>();
}

bool Cursor::as_bool() const {
  if (!node_->is_boolean()) refuse("true or false");
  return node_->get<bool>();
}

const std::string& Cursor::as_string() const {
  if (!node_->is_string()) refuse("a string");
  return node_->get_ref<const std::string&>();
}

std::string Cursor::description() const {
  if (node_->is_string()) return "the string " + in_quotes(node_->get_ref<const std::string&>());
  if (node_->is_number()) return "the number " + node_->dump();
  if (node_->is_object()) return "an object";
  if (node_->is_array()) return "an array";
  return node_->dump();
}

InputError Cursor::error(std::string_view found, std::string_view allowed,
                         std::string_view suggestion) const {
  return {location(), found, allowed, suggestion};
}

void Cursor::refuse(std::string_view allowed, std::string_view suggestion) const {
  throw error(description(), allowed, suggestion);
}

InputError Cursor::error_at_key(std::string_view key, std::string_view found,
                                std::string_view allowed, std::string_view suggestion) const {
  const Location at_key = state_->location(pointer_to(pointer_, key), true);
  return {at_key, found, allowed, suggestion};
}

}  // namespace futexsim
