#include "futexsim/parts/text_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "message_of.hpp"

using namespace futexsim;
namespace fs = std::filesystem;

namespace {

/// A folder of its own for each test, gone afterwards.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "futexsim-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(path_), {}); }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("a file is written whole, and replaced whole") {
  const Folder folder;
  const std::string path = folder / "out.json";
  write_file_atomically(path, "one\n");
  CHECK(read_text_file(path) == "one\n");
  const std::string long_text(300000, 'x');
  write_file_atomically(path, long_text);
  CHECK(read_text_file(path) == long_text);
  CHECK(folder.files() == 1);
}

TEST_CASE("without commit the old content stays and nothing else does") {
  const Folder folder;
  const std::string path = folder / "out.json";
  write_file_atomically(path, "old");
  {
    AtomicFile file(path);
    file.write("new");
    CHECK(read_text_file(path) == "old");
  }
  CHECK(read_text_file(path) == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("two writers of one file don't meet") {
  const Folder folder;
  const std::string path = folder / "out.json";
  AtomicFile first(path);
  AtomicFile second(path);
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  CHECK(read_text_file(path) == "first");
  CHECK(folder.files() == 1);
}

TEST_CASE("permissions are kept, and a symbolic link stays one") {
  const Folder folder;
  write_file_atomically(folder / "real", "old");
  REQUIRE(::chmod((folder / "real").c_str(), 0640) == 0);
  fs::create_symlink("real", folder / "link");
  write_file_atomically(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(read_text_file(folder / "real") == "new");
  CHECK((fs::status(folder / "real").permissions() & fs::perms::mask) == fs::perms(0640));
}

TEST_CASE("what can't be written is refused, and nothing is left") {
  const Folder folder;
  const auto refusal = [](const std::string& path) {
    return message_of([&] { write_file_atomically(path, "text"); });
  };
  CHECK(refusal(folder / "missing/out") ==
        (folder / "missing/out") + ": can't write: No such file or directory");
  CHECK(refusal(folder / "").ends_with(": can't write: Is a directory"));
  CHECK(refusal("/dev/null") ==
        "/dev/null: found a device, pipe or socket; allowed: a regular file or a new one");
  CHECK(refusal("").ends_with(": can't write: No such file or directory"));
  CHECK(refusal(std::string("a\0b", 3)) == "a\\u0000b: can't write: Invalid argument");
  CHECK(refusal(folder / std::string(300, 'n')).ends_with(": can't write: File name too long"));
  CHECK(folder.files() == 0);
}

TEST_CASE("what can't be read is refused") {
  const Folder folder;
  const auto refusal = [](const std::string& path) {
    return message_of([&] { read_text_file(path); });
  };
  CHECK(refusal(folder / "none").ends_with(": can't read: No such file or directory"));
  CHECK(refusal(folder / "").ends_with(": can't read: Is a directory"));
  write_file_atomically(folder / "secret", "x");
  REQUIRE(::chmod((folder / "secret").c_str(), 0) == 0);
  if (::geteuid() != 0) {  // root may read everything
    CHECK(refusal(folder / "secret").ends_with(": can't read: Permission denied"));
  }
  CHECK(refusal("/dev/zero").ends_with(": can't read: File too large"));
}
