#include "futexsim/parts/input_error.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "futexsim/parts/nearest_name.hpp"

using namespace futexsim;

TEST_CASE("an error reads FILE:LINE:COL: /pointer: found ...; allowed: ... (did you mean ...?)") {
  const InputError error({"a.json", 3, 14, "/x"}, "the string \"y\"", "\"z\"", "z");
  CHECK(std::string(error.what()) ==
        "a.json:3:14: /x: found the string \"y\"; allowed: \"z\" (did you mean \"z\"?)");
}

TEST_CASE("an error without lines names its source, and a pointer only once") {
  CHECK(to_string({"--set /a/b", 0, 0, "/a/b"}) == "--set /a/b");
  CHECK(to_string({"--set /a", 0, 0, "/a/b"}) == "--set /a: /a/b");
  CHECK(to_string({"defaults", 0, 0, ""}) == "defaults");
}

TEST_CASE("a message is one printable line whatever it quotes") {
  CHECK(one_line("a\nb\r\tc\x1b[31m\x7f") == "a\\nb\\r\\tc\\u001b[31m\\u007f");
  CHECK(one_line("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
  CHECK(one_line("\xff\xc3") == "\\xff\\xc3");
  CHECK(one_line("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // an encoded surrogate
  CHECK(one_line("a\xe2\x80\xae"
                 "b\xc2\x85") == "a\\u202eb\\u0085");  // right-to-left, next line
  CHECK(one_line(std::string("a\0b", 3)) == "a\\u0000b");
  CHECK(std::string(InputError("x\ny").what()) == "x\\ny");
}

TEST_CASE("what a message quotes is bounded") {
  CHECK(in_quotes("say \"hi\\\"") == "\"say \\\"hi\\\\\\\"\"");
  CHECK(in_quotes(std::string(1000, 'a'), 5) == "\"aaaaa...\"");
  const std::string huge(100000, 'x');
  CHECK(std::string(InputError({"f", 1, 1, '/' + huge}, huge, huge, huge).what()).size() < 2000);
}

TEST_CASE("broken UTF-8 is found where it begins") {
  CHECK(broken_utf8_at("abc \xe2\x82\xac \xf0\x9f\x98\x80") == std::string::npos);
  CHECK(broken_utf8_at("ab\xc0\xaf") == 2);
  CHECK(broken_utf8_at("abc\xe2\x82") == 3);
}

TEST_CASE("a file error ends with the system's reason") {
  CHECK(std::string(IoError("a/b", "read", 2).what()) ==
        "a/b: can't read: No such file or directory");
}

TEST_CASE("the nearest name is one slip away, or a third of the letters") {
  const std::vector<std::string> names{"threads", "futexes_per_thread", "placement", "all"};
  CHECK(nearest_name("thread", names) == "threads");
  CHECK(nearest_name("htreads", names) == "threads");
  CHECK(nearest_name("Threads", names) == "threads");
  CHECK(nearest_name("futexes-per-thread", names) == "futexes_per_thread");
  CHECK(nearest_name("al", names) == "all");
  CHECK(nearest_name("policy", names).empty());
  CHECK(nearest_name("", names).empty());
  CHECK(nearest_name(std::string(1000000, 't'), names).empty());
  CHECK(nearest_name("x", std::vector<std::string>{"y"}).empty());
}

TEST_CASE("names are listed for a message") {
  CHECK(listed(std::vector<std::string>{}) == "nothing");
  CHECK(listed(std::vector<std::string>{"a", "b"}) == "\"a\", \"b\"");
  CHECK(listed(std::vector<std::string>{"a", "b", "c"}, 2) == "\"a\", \"b\", ...");
}
