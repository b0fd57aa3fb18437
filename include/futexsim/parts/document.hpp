#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "futexsim/parts/input_error.hpp"

namespace futexsim {

class Cursor;

/// A JSON text read strictly, which knows where each of its values stands.
///
/// Refused with an InputError: broken JSON and anything after it, a key given twice, more than
/// `deepest` levels, numbers that a double can't hold, broken UTF-8, lone surrogates, NUL bytes,
/// keys longer than `longest_key`. A UTF-8 byte order mark is skipped; UTF-16 and UTF-32 are
/// refused by name.
///
/// A copy is cheap and independent: what a Cursor looks at is never changed by a later set().
class Document {
 public:
  static constexpr std::size_t deepest = 64;
  static constexpr std::size_t longest_key = 256;

  /// An empty object that the program fills by set(); `source` names it in messages.
  explicit Document(std::string source, nlohmann::json root = nlohmann::json::object());

  /// IoError when the file can't be read.
  static Document read(const std::string& path);
  static Document parse(std::string_view text, const std::string& source);

  /// Puts `value` at a JSON pointer. Missing objects on the way are made; an array's element
  /// must exist or be the next ("-" is the next). Messages about the value name `origin` as its
  /// position. InputError when the pointer is malformed or leads through a scalar; the document
  /// is then unchanged.
  void set(const std::string& pointer, nlohmann::json value, const std::string& origin);

  /// `--set /workload/threads=64`: `assignment` is what follows `option`. The value is JSON, or
  /// a string when it can't be; what starts like an object, array or JSON string must be JSON.
  void set_from_option(std::string_view option, std::string_view assignment);

  /// Takes a member out of the root object, as if it had never been there. A Cursor that looks at
  /// nothing when there is no such member.
  Cursor take(std::string_view key);

  const nlohmann::json& root() const;
  const std::string& source() const;
  Cursor cursor() const;

  /// Where the value at `pointer` stands, or else its nearest ancestor.
  Location location(const std::string& pointer) const;

  struct State;

 private:
  explicit Document(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;
};

/// `pointer` extended by a key, escaped as RFC 6901 asks.
std::string pointer_to(const std::string& pointer, std::string_view key);

}  // namespace futexsim
