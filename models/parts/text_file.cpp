#include "futexsim/parts/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "futexsim/parts/input_error.hpp"

namespace futexsim {
namespace {

constexpr std::size_t largest_input = std::size_t{64} << 20U;

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }

 private:
  int value_;
};

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// The file that `path` names once symbolic links are followed; `path` itself if there is none.
std::string followed(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::string target = std::filesystem::weakly_canonical(path, error).string();
  return error ? path : target;
}

}  // namespace

std::string read_text_file(const std::string& path) {
  if (path.find('\0') != std::string::npos) throw IoError(path, "read", EINVAL);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.value() < 0) throw IoError(path, "read", errno);
  std::string text;
  std::array<char, 1U << 16U> block{};
  while (true) {
    const ssize_t got = ::read(file.value(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw IoError(path, "read", errno);
    if (got == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > largest_input) throw IoError(path, "read", EFBIG);
  }
}

AtomicFile::AtomicFile(const std::string& path) : path_(followed(path)) {
  if (path.empty()) throw IoError(in_quotes(path), "write", ENOENT);
  if (path.find('\0') != std::string::npos) throw IoError(path, "write", EINVAL);
  struct stat old {};
  const bool exists = ::stat(path_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) throw IoError(path_, "write", EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    throw InputError({.source = path_}, "a device, pipe or socket", "a regular file or a new one");
  }
  const std::string stem = path_ + '.' + std::to_string(::getpid()) + '.';
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = stem + std::to_string(attempt) + ".tmp";
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && (errno != EEXIST || attempt == 1000))
      throw IoError(path_, "write", errno);
  }
  if (exists && ::fchmod(descriptor_, old.st_mode & 07777U) != 0) fail("set the permissions");
}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(descriptor_, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("write");
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail("write");
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail("write");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("write");
  temporary_.clear();
  // The rename itself survives a crash only once the folder is on disk; some file systems
  // can't sync a folder, and then the file is complete all the same.
  const Descriptor folder(::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.value() >= 0) ::fsync(folder.value());
}

void AtomicFile::fail(std::string_view action) {
  const int error_number = errno;
  discard();
  throw IoError(path_, action, error_number);
}

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void write_file_atomically(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace futexsim
