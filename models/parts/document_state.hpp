#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

#include "futexsim/parts/document.hpp"

namespace futexsim {

/// Where a value, and the key that names it, begin.
struct Mark {
  std::size_t line = 0;
  std::size_t column = 0;
  std::size_t key_line = 0;
  std::size_t key_column = 0;
  std::string origin = {};  ///< not empty for a value that was set from outside the text
};

struct Document::State {
  std::string source;
  nlohmann::json root;
  std::unordered_map<std::string, Mark> marks;  ///< by JSON pointer

  Location location(const std::string& pointer, bool of_key = false) const;
};

/// The tree and the marks of a JSON text, by Document's rules.
Document::State parse_strictly(std::string_view text, const std::string& source);

}  // namespace futexsim
