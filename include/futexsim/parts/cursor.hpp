#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "futexsim/parts/document.hpp"

namespace futexsim {

/// A value of a Document and its place, for typed, checked reading. Keeps what it looks at
/// alive, so it may be stored and read later, and outlive its Document. Every error is an
/// InputError with file, position, pointer, what was found and what is allowed.
class Cursor {
 public:
  /// Looks at nothing: what an optional raw parameter holds when it wasn't given. Only the
  /// conversion to bool may be called.
  Cursor() = default;

  explicit operator bool() const { return node_ != nullptr; }
  const nlohmann::json& value() const { return *node_; }
  const std::string& pointer() const { return pointer_; }
  bool is_root() const { return pointer_.empty(); }
  Location location() const;

  bool is_object() const { return node_->is_object(); }
  bool is_array() const { return node_->is_array(); }
  bool is_string() const { return node_->is_string(); }

  /// The member or element; an error when it is missing or this isn't an object or array.
  Cursor at(std::string_view key) const;
  Cursor at(std::size_t index) const;
  /// The member if there is one; an error when this isn't an object.
  std::optional<Cursor> find(std::string_view key) const;
  /// Members in name order; an error when this isn't an object.
  std::vector<std::pair<std::string, Cursor>> members() const;
  /// Elements in order; an error when this isn't an array.
  std::vector<Cursor> elements() const;

  /// Any JSON number.
  double as_double() const;
  bool as_bool() const;
  const std::string& as_string() const;

  /// What stands here, for a message: `the string "all"`, `the number 3`, `an array`.
  std::string description() const;

  /// An error at this place; `refuse` fills in what was found.
  InputError error(std::string_view found, std::string_view allowed,
                   std::string_view suggestion = {}) const;
  [[noreturn]] void refuse(std::string_view allowed, std::string_view suggestion = {}) const;
  /// The same at the key that names the member, which must exist.
  InputError error_at_key(std::string_view key, std::string_view found, std::string_view allowed,
                          std::string_view suggestion = {}) const;

 private:
  friend class Document;
  Cursor(std::shared_ptr<const Document::State> state, const nlohmann::json* node,
         std::string pointer);
  Cursor child(const nlohmann::json& node, std::string_view key) const;

  std::shared_ptr<const Document::State> state_;
  const nlohmann::json* node_ = nullptr;
  std::string pointer_;
};

}  // namespace futexsim
