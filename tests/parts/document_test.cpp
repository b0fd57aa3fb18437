#include "futexsim/parts/document.hpp"

#include <doctest/doctest.h>

#include "futexsim/parts/cursor.hpp"
#include "message_of.hpp"

using namespace futexsim;
using nlohmann::json;

namespace {

std::string refusal(std::string_view text) {
  return message_of([&] { Document::parse(text, "t.json"); });
}

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a document knows the line and column of each value") {
  const Document d = Document::parse(
      "{\n"
      "  \"a\" : {\"b/c\": [1, -2.5e1 ,\n"
      "     \"x,:\\\"]\", true]},\n"
      "  \"\xc3\xbc\": null, \"z\": {}\r\n"
      "}\n",
      "t.json");
  const auto place = [&](const std::string& pointer) {
    const Location at = d.location(pointer);
    return std::to_string(at.line) + ':' + std::to_string(at.column);
  };
  CHECK(place("") == "1:1");
  CHECK(place("/a") == "2:9");
  CHECK(place("/a/b~1c") == "2:17");
  CHECK(place("/a/b~1c/0") == "2:18");
  CHECK(place("/a/b~1c/1") == "2:21");
  CHECK(place("/a/b~1c/2") == "3:6");
  CHECK(place("/a/b~1c/3") == "3:16");
  CHECK(place("/\xc3\xbc") == "4:8");
  CHECK(place("/z") == "4:19");
  CHECK(place("/z/missing") == "4:19");
  CHECK(d.root()["a"]["b/c"] == json::array({1, -25.0, "x,:\"]", true}));
}

TEST_CASE("any JSON value may be a document, after a UTF-8 byte order mark too") {
  for (const char* text : {"1", "\"s\"", "null", "[]", " {} \n", "\xef\xbb\xbf{}"}) {
    CHECK(refusal(text) == "no error");
  }
  CHECK(Document::parse("\xef\xbb\xbf{\"a\": 1}", "t").location("/a").column == 7);
}

TEST_CASE("a key given twice is refused where it stands the second time") {
  CHECK(refusal("{\"a\": {\"b\": 1,\n  \"c\": 2, \"b\": 3}}") ==
        "t.json:2:11: /a: found the key \"b\" a second time, after line 1 column 8; allowed: each "
        "key once");
  CHECK(contains(refusal("{\"ab\": 1, \"\\u0061b\": 1}"), "the key \"ab\" a second time"));
  CHECK(refusal("[{\"a\": 1}, {\"a\": 1}]") == "no error");
}

TEST_CASE("nesting is bounded, without a crash at any depth") {
  CHECK(refusal(nested(Document::deepest)) == "no error");
  CHECK(contains(refusal(nested(Document::deepest + 1)), "t.json:1:65: /0/0/0/0/0/0/0/0/0/0/0/0"));
  CHECK(contains(refusal(std::string(1000000, '[')), "more than 64 levels of nesting"));
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  CHECK(contains(refusal(objects), "more than 64 levels of nesting"));
}

TEST_CASE("numbers must fit a double and be JSON") {
  CHECK(refusal("{\"a\": 1e999}") ==
        "t.json:1:7: found the number 1e999; allowed: at most 1.7976931348623157e308 in size");
  CHECK(contains(refusal("[-" + std::string(400, '9') + "]"), "t.json:1:2: found the number -999"));
  for (const char* text : {"NaN", "Infinity", "-Infinity", "0x10", "01", "+1", "1.", ".5", "1e"}) {
    CAPTURE(text);
    CHECK(contains(refusal(text), "broken JSON"));
  }
  CHECK(Document::parse("18446744073709551615", "t").root() == UINT64_MAX);
}

TEST_CASE("broken JSON is refused with its place") {
  CHECK(contains(refusal("{\n  \"a\": 1,\n}"), "t.json:3:1: found broken JSON"));
  CHECK(contains(refusal("[1,,2]"), "t.json:1:4: found broken JSON"));
  CHECK(contains(refusal("{\"a\" 1}"), "t.json:1:6: found broken JSON"));
  CHECK(contains(refusal("{} x"), "t.json:1:4: found broken JSON"));
  CHECK(contains(refusal("{}{}"), "t.json:1:3: found broken JSON"));
  CHECK(contains(refusal("// no\n{}"), "t.json:1:1: found broken JSON"));
  CHECK(contains(refusal("{a: 1}"), "t.json:1:2: found broken JSON"));
  CHECK(contains(refusal("[1, 2"), "t.json:1:6: found broken JSON"));
  CHECK(contains(refusal("{\"a\": \"open"), "t.json:1:7: found broken JSON"));
  CHECK(refusal("[\"" + std::string(100000, 'x')).size() < 500);
}

TEST_CASE("what isn't UTF-8 text is refused by name") {
  CHECK(refusal("") == "t.json:1:1: found an empty text; allowed: JSON as in RFC 8259");
  CHECK(contains(refusal(" \n\t"), "an empty text"));
  CHECK(contains(refusal(std::string("{}\0garbage", 10)), "t.json:1:3: found a NUL byte"));
  CHECK(contains(refusal(std::string("\xff\xfe{\0}\0", 6)), "UTF-16"));
  CHECK(contains(refusal("[\"\xff\"]"), "broken JSON"));
  CHECK(contains(refusal("[\"\xc0\xaf\"]"), "broken JSON"));
  CHECK(contains(refusal("[\"\\ud800\"]"), "broken JSON"));
  CHECK(contains(refusal("[\"\\udc00\\ud800\"]"), "broken JSON"));
  CHECK(contains(refusal("[\"\xed\xa0\x80\"]"), "broken JSON"));
  CHECK(contains(refusal("[\"a\nb\"]"), "broken JSON"));
  CHECK(refusal("[\"\\ud83d\\ude00\\u0000\"]") == "no error");
  CHECK(contains(refusal("{\"" + std::string(300, 'k') + "\": 1}"), "a key of 300 bytes"));
}

TEST_CASE("an override replaces, adds and makes what is missing on the way") {
  Document d = Document::parse(R"({"a": {"b": 1}, "list": [1, 2]})", "t.json");
  const Document before = d;
  d.set("/a/b", 5, "sweep");
  d.set("/new/deep~1er/x", "y", "sweep");
  d.set("/list/0", 7, "sweep");
  d.set("/list/-", 9, "sweep");
  CHECK(d.root() ==
        json{{"a", {{"b", 5}}}, {"list", {7, 2, 9}}, {"new", {{"deep/er", {{"x", "y"}}}}}});
  CHECK(before.root()["a"]["b"] == 1);
  CHECK(to_string(d.location("/a/b")) == "sweep: /a/b");
  CHECK(to_string(d.location("/new")) == "sweep: /new");
  CHECK(to_string(d.location("/list/2")) == "sweep: /list/2");
  CHECK(to_string(d.location("/list/1")) == "t.json:1:29: /list/1");
}

TEST_CASE("the positions below an override are the override's") {
  Document d = Document::parse(R"({"ab": 1, "a": {"b": {"c": 1}}})", "t.json");
  d.set("/a", {{"b", {{"c", 2}}}}, "--set /a");
  CHECK(to_string(d.location("/a/b/c")) == "--set /a: /a/b/c");
  CHECK(to_string(d.location("/ab")) == "t.json:1:8: /ab");
}

TEST_CASE("the value of --set is JSON, or else a string") {
  Document d("none");
  const auto set = [&](const char* text) { d.set_from_option("--set", text); };
  set("/threads=64");
  set("/policy=private");
  set("/on=true");
  set("/list=[1, 2]");
  set("/text=\"64\"");
  set("/empty=");
  set("/sum=a=b");
  CHECK(d.root() == json{{"threads", 64},
                         {"policy", "private"},
                         {"on", true},
                         {"list", {1, 2}},
                         {"text", "64"},
                         {"empty", ""},
                         {"sum", "a=b"}});
  CHECK(to_string(d.location("/threads")) == "--set /threads");
}

TEST_CASE("a wrong --set is refused and changes nothing") {
  Document d = Document::parse(R"({"a": 1, "l": []})", "t.json");
  const auto refused = [&](std::string_view text) {
    return message_of([&] { d.set_from_option("--set", text); });
  };
  CHECK(refused("/a") ==
        "--set: found \"/a\"; allowed: /POINTER=VALUE, such as /workload/threads=64");
  CHECK(contains(refused("a=1"), "found the JSON pointer \"a\""));
  CHECK(contains(refused("/a~2=1"), "found the JSON pointer"));
  CHECK(contains(refused("/x={\"a\":1,\"a\":2}"), "the key \"a\" a second time"));
  CHECK(contains(refused("/x=[1"), "--set /x:1:3: found broken JSON"));
  CHECK(refused("/a/b=1") ==
        "--set /a/b: /a: found a value that holds no \"b\"; allowed: a pointer through objects "
        "and arrays");
  CHECK(contains(refused("/l/01=1"), "found the index \"01\"; allowed: 0 to 0 or \"-\""));
  CHECK(contains(refused("/x=\xff"), "allowed: UTF-8 text"));
  CHECK(d.root() == json{{"a", 1}, {"l", json::array()}});
}

TEST_CASE("a file that can't be read is one line with the system's reason") {
  CHECK(message_of([] { Document::read("/nonexistent/x.json"); }) ==
        "/nonexistent/x.json: can't read: No such file or directory");
  CHECK(message_of([] { Document::read("/"); }) == "/: can't read: Is a directory");
}

TEST_CASE("a cursor outlives its document and says what it found") {
  Cursor c;
  CHECK_FALSE(c);
  c = Document::parse(R"({"a": [1, "x"], "o": {}})", "t.json").cursor();
  CHECK(c.at("a").at(0).as_double() == 1.0);
  CHECK(message_of([&] { c.at("a").at(1).as_double(); }) ==
        "t.json:1:11: /a/1: found the string \"x\"; allowed: a number");
  CHECK(message_of([&] { c.at("a").at(2); }) ==
        "t.json:1:7: /a: found an array of 2 values; allowed: at least 3");
  CHECK(message_of([&] { c.at("b"); }) ==
        "t.json:1:1: found no key \"b\"; allowed: an object with \"b\"");
  CHECK(message_of([&] { c.at("o").elements(); }) ==
        "t.json:1:22: /o: found an object; allowed: an array");
  CHECK(message_of([&] { c.at("a").members(); }) ==
        "t.json:1:7: /a: found an array; allowed: an object");
}
