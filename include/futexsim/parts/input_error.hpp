#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace futexsim {

/// Where a piece of input stands. Lines and columns count from 1, columns in characters; 0 is
/// "the source has no lines" (an option of the command line, a value built by the program).
struct Location {
  std::string source;  ///< a file's path, or what else the text came from
  std::size_t line = 0;
  std::size_t column = 0;
  std::string pointer = {};  ///< JSON pointer of the value; empty for the whole document or no JSON
};

/// Bad input, for the user. what() is one printable line, of bounded length beside the path:
/// `FILE:LINE:COL: /json/pointer: found ...; allowed: ... (did you mean "x"?)`.
/// The command line prints `futexsim: ` and what(), and exits with status 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::string_view message);

  /// `suggestion` is the nearest name, or empty.
  InputError(const Location& location, std::string_view found, std::string_view allowed,
             std::string_view suggestion = {});
};

/// A file that can't be read or written; the message ends with the system's reason.
class IoError : public InputError {
 public:
  IoError(std::string_view path, std::string_view action, int error_number);
};

/// `text` on one printable line: control, line-breaking and direction-changing characters and
/// broken UTF-8 are escaped, and what exceeds `limit` characters is cut and marked by "...".
std::string one_line(std::string_view text, std::size_t limit = std::string::npos);

/// `text` in double quotes as one_line() prints it; inner quotes and backslashes are escaped.
std::string in_quotes(std::string_view text, std::size_t limit = 60);

/// The offset of the first byte that isn't UTF-8, or npos.
std::size_t broken_utf8_at(std::string_view text);

/// `FILE:LINE:COL: /pointer`, without the parts that are unknown.
std::string to_string(const Location& location);

}  // namespace futexsim
