#include "futexsim/parts/input_error.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <system_error>

namespace futexsim {
namespace {

constexpr std::size_t longest_pointer = 200;
constexpr std::size_t longest_phrase = 500;

struct Character {
  std::uint32_t code_point;
  std::size_t bytes;
  bool valid;
};

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const std::uint32_t lead = byte(0);
  const Character broken{lead, 1, false};
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + bytes > text.size()) return broken;
  std::uint32_t code_point = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return broken;
    code_point = (code_point << 6U) | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
  if (code_point < least[bytes] || code_point > 0x10ffff || surrogate) return broken;
  return {code_point, bytes, true};
}

bool printable(std::uint32_t c) {
  const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
  const bool breaks_line = c == 0x2028 || c == 0x2029;
  const bool changes_direction =
      (c >= 0x200e && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  return !control && !breaks_line && !changes_direction && c != 0xfeff;
}

std::string escape(const Character& c) {
  if (c.valid && c.code_point == '\n') return "\\n";
  if (c.valid && c.code_point == '\r') return "\\r";
  if (c.valid && c.code_point == '\t') return "\\t";
  std::array<char, 16> buffer{};
  std::snprintf(buffer.data(), buffer.size(), c.valid ? "\\u%04x" : "\\x%02x",
                static_cast<unsigned>(c.code_point));
  return buffer.data();
}

std::string printable_text(std::string_view text, std::size_t limit, bool escape_quotes) {
  std::string out;
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++characters) {
    if (characters == limit) return out + "...";
    const Character c = character_at(text, at);
    if (!c.valid || !printable(c.code_point)) {
      out += escape(c);
    } else {
      if (escape_quotes && (text[at] == '"' || text[at] == '\\')) out += '\\';
      out += text.substr(at, c.bytes);
    }
    at += c.bytes;
  }
  return out;
}

std::string message_of(const Location& location, std::string_view found, std::string_view allowed,
                       std::string_view suggestion) {
  std::string message = to_string(location);
  if (!message.empty()) message += ": ";
  message += "found " + one_line(found, longest_phrase);
  if (!allowed.empty()) message += "; allowed: " + one_line(allowed, longest_phrase);
  if (!suggestion.empty()) message += " (did you mean " + in_quotes(suggestion) + "?)";
  return message;
}

}  // namespace

std::string one_line(std::string_view text, std::size_t limit) {
  return printable_text(text, limit, false);
}

std::string in_quotes(std::string_view text, std::size_t limit) {
  return '"' + printable_text(text, limit, true) + '"';
}

std::size_t broken_utf8_at(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    if (!c.valid) return at;
    at += c.bytes;
  }
  return std::string_view::npos;
}

std::string to_string(const Location& location) {
  std::string out = one_line(location.source);
  if (location.line != 0) {
    out += ':' + std::to_string(location.line) + ':' + std::to_string(location.column);
  }
  // `--set /workload/threads` has named the pointer already.
  const std::string pointer = one_line(location.pointer, longest_pointer);
  const bool named = location.line == 0 && out.ends_with(' ' + pointer);
  if (!pointer.empty() && !named) out += (out.empty() ? "" : ": ") + pointer;
  return out;
}

InputError::InputError(std::string_view message) : std::runtime_error(one_line(message)) {}

InputError::InputError(const Location& location, std::string_view found, std::string_view allowed,
                       std::string_view suggestion)
    : std::runtime_error(message_of(location, found, allowed, suggestion)) {}

IoError::IoError(std::string_view path, std::string_view action, int error_number)
    : InputError(std::string(path) + ": can't " + std::string(action) + ": " +
                 std::generic_category().message(error_number)) {}

}  // namespace futexsim
