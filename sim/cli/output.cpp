#include "output.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "futexsim/parts/input_error.hpp"

namespace futexsim::cli {

Output::Output(const std::optional<std::string>& path, const std::vector<std::string>& inputs) {
  if (!is_file(path)) return;
  for (const std::string& input : inputs) {
    std::error_code missing;
    if (std::filesystem::equivalent(*path, input, missing)) {
      throw InputError({.source = *path}, "an output file that is also read: " + in_quotes(input),
                       "another file");
    }
  }
  file_.emplace(*path);
}

void Output::write(std::string_view text) {
  if (file_) return file_->write(text);
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) throw OutputClosed();
    if (written < 0) throw IoError("standard output", "write", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Output::finish() {
  if (file_) file_->commit();
}

}  // namespace futexsim::cli
