#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futexsim/parts/text_file.hpp"

namespace futexsim::cli {

/// Nobody reads standard output any more: a reason to stop, not an error.
struct OutputClosed {};

/// Where results go: standard output, or a file that appears whole.
class Output {
 public:
  /// `path`: of -o; none or "-" is standard output. Opens a file: call it once inputs are checked.
  /// InputError when the file is one of `inputs`.
  explicit Output(const std::optional<std::string>& path = {},
                  const std::vector<std::string>& inputs = {});

  static bool is_file(const std::optional<std::string>& path) { return path && *path != "-"; }

  void write(std::string_view text);
  /// All is written: the file appears. Without it an older one stays as it was.
  void finish();

 private:
  std::optional<AtomicFile> file_;
};

}  // namespace futexsim::cli
