#include "futexsim/parts/document.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "document_state.hpp"
#include "futexsim/parts/cursor.hpp"
#include "futexsim/parts/text_file.hpp"

namespace futexsim {
namespace {

using nlohmann::json;

/// The keys of a JSON pointer, unescaped.
std::vector<std::string> keys_of(const std::string& pointer, const std::string& origin) {
  const auto malformed = [&] {
    return InputError({.source = origin}, "the JSON pointer " + in_quotes(pointer),
                      "a pointer as in RFC 6901, such as \"/workload/threads\"");
  };
  if (!pointer.starts_with('/')) throw malformed();
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      keys.emplace_back();
    } else if (pointer[i] != '~') {
      keys.back() += pointer[i];
    } else {
      const char code = ++i < pointer.size() ? pointer[i] : '\0';
      if (code != '0' && code != '1') throw malformed();
      keys.back() += code == '0' ? '~' : '/';
    }
  }
  if (keys.size() > Document::deepest) throw malformed();
  for (const std::string& key : keys) {
    if (key.size() > Document::longest_key) throw malformed();
  }
  return keys;
}

/// The index that `key` names in `array`, whose size is the next one's.
std::size_t index_in(const json& array, const std::string& key, const Location& location) {
  if (key == "-") return array.size();
  for (std::size_t i = 0; i <= array.size(); ++i) {
    if (key == std::to_string(i)) return i;
  }
  throw InputError(location, "the index " + in_quotes(key),
                   "0 to " + std::to_string(array.size()) + " or \"-\"");
}

/// Forgets where the value at `pointer`, and all that it holds, stood.
void erase_marks(Document::State& state, const std::string& pointer) {
  std::erase_if(state.marks, [&](const auto& entry) {
    return entry.first.starts_with(pointer) &&
           (entry.first.size() == pointer.size() || entry.first[pointer.size()] == '/');
  });
}

}  // namespace

std::string pointer_to(const std::string& pointer, std::string_view key) {
  std::string out = pointer + '/';
  for (const char letter : key) {
    if (letter == '~') {
      out += "~0";
    } else if (letter == '/') {
      out += "~1";
    } else {
      out += letter;
    }
  }
  return out;
}

Location Document::State::location(const std::string& pointer, bool of_key) const {
  std::string ancestor = pointer;
  auto mark = marks.find(ancestor);
  while (mark == marks.end() && !ancestor.empty()) {
    ancestor.resize(ancestor.rfind('/'));
    mark = marks.find(ancestor);
  }
  if (mark == marks.end()) return {source, 0, 0, pointer};
  if (!mark->second.origin.empty()) return {mark->second.origin, 0, 0, pointer};
  const bool by_key = of_key && ancestor == pointer && mark->second.key_line != 0;
  return {source, by_key ? mark->second.key_line : mark->second.line,
          by_key ? mark->second.key_column : mark->second.column, pointer};
}

Document::Document(std::string source, json root)
    : Document(std::make_shared<const State>(State{std::move(source), std::move(root), {}})) {}

Document::Document(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Document Document::read(const std::string& path) {
  return parse(read_text_file(path), path);
}

Document Document::parse(std::string_view text, const std::string& source) {
  return Document(std::make_shared<const State>(parse_strictly(text, source)));
}

void Document::set(const std::string& pointer, json value, const std::string& origin) {
  const std::vector<std::string> keys = keys_of(pointer, origin);
  if (const auto* const text = value.get_ptr<const std::string*>();
      text != nullptr && broken_utf8_at(*text) != std::string::npos) {
    throw InputError({origin, 0, 0, pointer}, in_quotes(*text), "UTF-8 text");
  }
  State changed = *state_;
  json* node = &changed.root;
  std::string reached;
  for (const std::string& key : keys) {
    std::string next = pointer_to(reached, key);
    if (node->is_object()) {
      if (!node->contains(key)) {
        (*node)[key] = json::object();
        changed.marks[next].origin = origin;
      }
      node = &(*node)[key];
    } else if (node->is_array()) {
      const std::size_t index = index_in(*node, key, {origin, 0, 0, reached});
      next = pointer_to(reached, std::to_string(index));
      if (index == node->size()) node->push_back(json::object());
      node = &(*node)[index];
    } else {
      throw InputError({origin, 0, 0, reached}, "a value that holds no " + in_quotes(key),
                       "a pointer through objects and arrays");
    }
    reached = std::move(next);
  }
  *node = std::move(value);
  erase_marks(changed, reached);
  changed.marks[reached].origin = origin;
  state_ = std::make_shared<const State>(std::move(changed));
}

void Document::set_from_option(std::string_view option, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw InputError({.source = std::string(option)}, in_quotes(assignment),
                     "/POINTER=VALUE, such as /workload/threads=64");
  }
  const std::string pointer(assignment.substr(0, equals));
  const std::string_view text = assignment.substr(equals + 1);
  const std::string origin = std::string(option) + ' ' + pointer;
  if (broken_utf8_at(assignment) != std::string_view::npos) {
    throw InputError({.source = origin}, in_quotes(text), "UTF-8 text");
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool means_json =
      first != std::string_view::npos &&
      (std::string_view("{[\"").find(text[first]) != std::string_view::npos ||
       (text.find('\0') == std::string_view::npos && json::accept(text.begin(), text.end())));
  set(pointer, means_json ? parse_strictly(text, origin).root : json(text), origin);
}

Cursor Document::take(std::string_view key) {
  const std::optional<Cursor> member = root().is_object() ? cursor().find(key) : std::nullopt;
  if (!member) return {};
  State changed = *state_;
  changed.root.erase(std::string(key));
  erase_marks(changed, member->pointer());
  changed.marks.rehash(0);  // what is left is small, and copied by each set()
  state_ = std::make_shared<const State>(std::move(changed));
  return *member;
}

const json& Document::root() const {
  return state_->root;
}
const std::string& Document::source() const {
  return state_->source;
}
Cursor Document::cursor() const {
  return {state_, &state_->root, ""};
}
Location Document::location(const std::string& pointer) const {
  return state_->location(pointer);
}

}  // namespace futexsim
