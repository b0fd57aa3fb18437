#pragma once

#include <string>
#include <string_view>

namespace futexsim {

/// The bytes of a file. IoError when it is missing, a directory, unreadable, or larger than
/// 64 MiB (no input of this program comes near).
std::string read_text_file(const std::string& path);

/// A file that appears whole or not at all: written beside its target, renamed onto it by
/// commit(). Without commit() nothing stays. Errors are IoError. The target, if it exists, must
/// be a regular file; its permissions are kept, and a symbolic link is followed.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  [[noreturn]] void fail(std::string_view action);
  void discard() noexcept;

  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
};

/// `text` as the whole content of `path`, by AtomicFile.
void write_file_atomically(const std::string& path, std::string_view text);

}  // namespace futexsim
