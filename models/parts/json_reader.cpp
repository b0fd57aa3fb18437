// The parser keeps no positions, but it reports tokens in order, and we hold the text: stepping
// over white space and separators from the end of one token finds the start of the next.

#include <algorithm>
#include <utility>
#include <vector>

#include "document_state.hpp"

namespace futexsim {
namespace {

using nlohmann::json;

constexpr std::string_view white_space = " \t\r\n";
constexpr std::string_view separators = " \t\r\n,:";

/// Turns offsets that only grow into lines and columns.
class Position {
 public:
  explicit Position(std::string_view text) : text_(text) {}

  void advance_to(std::size_t offset) {
    for (; offset_ < std::min(offset, text_.size()); ++offset_) {
      if (text_[offset_] == '\n') {
        ++line;
        column = 1;
      } else if ((static_cast<unsigned char>(text_[offset_]) & 0xc0U) != 0x80U) {
        ++column;  // continuation bytes belong to the character before
      }
    }
  }

  std::size_t line = 1;
  std::size_t column = 1;

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
};

class Reader : public nlohmann::json_sax<json> {
 public:
  Reader(std::string_view text, std::string source)
      : text_(text), position_(text), state_{std::move(source), {}, {}} {}

  Document::State take() { return std::move(state_); }

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(value); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(value); }
  bool number_float(number_float_t value, const string_t&) override { return scalar(value); }
  bool string(string_t& value) override { return scalar(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    step_to_token();
    Level& object = levels_.back();
    if (name.size() > Document::longest_key) {
      throw error("a key of " + std::to_string(name.size()) + " bytes",
                  "at most " + std::to_string(Document::longest_key));
    }
    if (object.node->contains(name)) {
      const Mark& first = state_.marks.at(pointer_to(object.pointer, name));
      throw error("the key " + in_quotes(name) + " a second time, after line " +
                      std::to_string(first.key_line) + " column " +
                      std::to_string(first.key_column),
                  "each key once");
    }
    object.key = name;
    object.mark.key_line = position_.line;
    object.mark.key_column = position_.column;
    step_over_token();
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const json::exception& e) override {
    step_to_error();
    constexpr int number_overflow = 406;
    if (e.id == number_overflow) {
      throw error("the number " + one_line(text_.substr(offset_, token_end() - offset_), 40),
                  "at most 1.7976931348623157e308 in size");
    }
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ..."
    std::string_view reason = e.what();
    for (const std::string_view lead : {"] ", "column ", ": "}) {
      const std::size_t at = reason.find(lead);
      if (at != std::string_view::npos) reason.remove_prefix(at + lead.size());
    }
    throw error("broken JSON (" + one_line(reason, 200) + ")", "JSON as in RFC 8259");
  }

 private:
  /// An object or array that is still open.
  struct Level {
    json* node;
    std::string pointer;
    std::string key = {};  ///< of the member that comes next, in an object
    Mark mark = {};        ///< of that key
  };

  bool scalar(json value) {
    step_to_token();
    place(std::move(value));
    step_over_token();
    return true;
  }

  bool open(json container) {
    step_to_token();
    if (levels_.size() == Document::deepest) {
      throw error("more than " + std::to_string(Document::deepest) + " levels of nesting",
                  "at most " + std::to_string(Document::deepest));
    }
    std::string pointer = next_pointer();
    json& node = place(std::move(container));
    levels_.push_back({&node, std::move(pointer)});
    ++offset_;
    return true;
  }

  bool close() {
    step_to_token();
    levels_.pop_back();
    ++offset_;
    return true;
  }

  std::string next_pointer() const {
    if (levels_.empty()) return {};
    const Level& level = levels_.back();
    if (level.node->is_object()) return pointer_to(level.pointer, level.key);
    return pointer_to(level.pointer, std::to_string(level.node->size()));
  }

  json& place(json value) {
    Mark mark = levels_.empty() ? Mark{} : levels_.back().mark;
    mark.line = position_.line;
    mark.column = position_.column;
    state_.marks[next_pointer()] = mark;
    if (levels_.empty()) return state_.root = std::move(value);
    json& parent = *levels_.back().node;
    if (parent.is_object()) return parent[levels_.back().key] = std::move(value);
    parent.push_back(std::move(value));
    return parent.back();
  }

  void step_to_token() {
    offset_ = std::min(text_.find_first_not_of(separators, offset_), text_.size());
    position_.advance_to(offset_);
  }

  /// Of a separator that doesn't belong, the second in a row is the wrong one.
  void step_to_error() {
    const auto skip_space = [&] {
      offset_ = std::min(text_.find_first_not_of(white_space, offset_), text_.size());
    };
    skip_space();
    if (offset_ < text_.size() && (text_[offset_] == ',' || text_[offset_] == ':')) {
      ++offset_;
      skip_space();
    }
    position_.advance_to(offset_);
  }

  void step_over_token() { offset_ = token_end(); }

  std::size_t token_end() const {
    if (offset_ >= text_.size()) return text_.size();
    if (text_[offset_] != '"') {
      return std::min(text_.find_first_of(" \t\r\n,:]}", offset_), text_.size());
    }
    std::size_t end = offset_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2U : 1U;
    return std::min(end + 1, text_.size());
  }

  InputError error(std::string_view found, std::string_view allowed) const {
    const std::string pointer = levels_.empty() ? std::string() : levels_.back().pointer;
    return {{state_.source, position_.line, position_.column, pointer}, found, allowed};
  }

  std::string_view text_;
  Position position_;
  std::size_t offset_ = 0;
  std::vector<Level> levels_;
  Document::State state_;
};

/// The parser takes a NUL for the end of the text, whatever follows it.
void refuse_what_is_no_utf8_text(std::string_view text, const std::string& source) {
  const auto begins = [&](std::string_view bytes) { return text.starts_with(bytes); };
  if (begins("\xff\xfe") || begins("\xfe\xff") || begins(std::string_view("\0\0\xfe\xff", 4))) {
    throw InputError({source, 1, 1}, "UTF-16 or UTF-32", "UTF-8");
  }
  const std::size_t nul = text.find('\0');
  if (nul == std::string_view::npos) return;
  Position position(text);
  position.advance_to(nul);
  throw InputError({source, position.line, position.column}, "a NUL byte", "UTF-8 text");
}

}  // namespace

Document::State parse_strictly(std::string_view text, const std::string& source) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  refuse_what_is_no_utf8_text(text, source);
  if (text.find_first_not_of(white_space) == std::string_view::npos) {
    throw InputError({source, 1, 1}, "an empty text", "JSON as in RFC 8259");
  }
  Reader reader(text, source);
  json::sax_parse(text.begin(), text.end(), &reader);
  return reader.take();
}

}  // namespace futexsim
