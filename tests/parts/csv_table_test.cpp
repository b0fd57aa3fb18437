#include "futexsim/parts/csv_table.hpp"

#include <doctest/doctest.h>

#include "message_of.hpp"

using namespace futexsim;

namespace {

std::string refusal(std::string_view text) {
  return message_of([&] { CsvTable::parse(text, "t.csv"); });
}

}  // namespace

TEST_CASE("a table is read by column name, line ends and quotes as in RFC 4180") {
  const CsvTable t = CsvTable::parse(
      "\xef\xbb\xbfname,\"a,b\",n\r\n"
      "x,\"say \"\"hi\"\"\",1\r\n"
      "\"two\nlines\",,2\n"
      "z,\xc3\xbc,-3e2\n\n\r\n",
      "t.csv");
  CHECK(t.columns() == std::vector<std::string>{"name", "a,b", "n"});
  REQUIRE(t.size() == 3);
  CHECK(t.row(0).text("a,b") == "say \"hi\"");
  CHECK(t.row(1).text("name") == "two\nlines");
  CHECK(t.row(1).empty("a,b"));
  CHECK_FALSE(t.row(1).optional_number("a,b"));
  CHECK_FALSE(t.row(1).optional_integer("a,b"));
  CHECK(t.row(1).integer("n") == 2);
  CHECK(t.row(1).optional_integer("n") == 2);
  CHECK(t.row(2).number("n") == -300.0);
  CHECK(to_string(t.row(0).location()) == "t.csv:2:1");
  CHECK(to_string(t.row(1).location("n")) == "t.csv:4:9");
  CHECK(to_string(t.row(2).location("n")) == "t.csv:5:5");
  CHECK(t.rows().size() == 3);
}

TEST_CASE("a last line without an end is a line; a header alone is an empty table") {
  CHECK(CsvTable::parse("a,b\n1,2", "t").row(0).integer("b") == 2);
  CHECK(CsvTable::parse("a,b\n1,", "t").row(0).empty("b"));
  CHECK(CsvTable::parse("a\n\"\"", "t").row(0).empty("a"));
  CHECK(CsvTable::parse("a,b", "t").size() == 0);
}

TEST_CASE("a ragged row is refused at the first field too many or the last there") {
  CHECK(refusal("a,b\n1,2\n1,2,3\n") ==
        "t.csv:3:5: found 3 fields; allowed: 2 fields, as in the header");
  CHECK(refusal("a,b\n1\n") == "t.csv:2:1: found 1 fields; allowed: 2 fields, as in the header");
  CHECK(refusal("a,b\n\n1,2\n") ==
        "t.csv:2:1: found an empty line; allowed: 2 fields, as in the header");
}

TEST_CASE("a header names each column once") {
  CHECK(refusal("a,b,a\n") ==
        "t.csv:1:5: found the column \"a\" a second time; allowed: each column once");
  CHECK(refusal("a,,b\n") == "t.csv:1:3: found a column without a name; allowed: a name");
  CHECK(refusal("") == "t.csv:1:1: found an empty table; allowed: a line of columns");
  CHECK(refusal("\r\n\n").find("an empty table") != std::string::npos);
}

TEST_CASE("stray quotes, carriage returns and bytes are refused with their place") {
  CHECK(refusal("a\nx\"y\n").starts_with("t.csv:2:2: found a quote inside a field"));
  CHECK(refusal("a\n\"x\"y\n").starts_with("t.csv:2:4: found text after a closing quote"));
  CHECK(refusal("a,b\n1,\"x\n\n").starts_with("t.csv:2:3: found a quote that is never closed"));
  CHECK(refusal("a\n1\rb\n").starts_with("t.csv:2:3: found a carriage return alone"));
  CHECK(refusal(std::string_view("a\n\0\n", 4)).starts_with("t.csv:2:1: found a NUL byte"));
  CHECK(refusal("a\n\xc3\xbc\xff\n").starts_with("t.csv:2:2: found a byte that isn't UTF-8"));
}

TEST_CASE("a bad number is refused with its column") {
  const CsvTable t = CsvTable::parse("threads\n0x8\n", "t.csv");
  CHECK(message_of([&] { t.row(0).integer("threads"); }) ==
        "t.csv:2:1: found \"0x8\" in column \"threads\"; allowed: an integer");
  for (const char* wrong : {" 1", "1 ", "1,0", "+1", "nan", "inf", "1e999", "abc", "1.5.2"}) {
    CAPTURE(wrong);
    const std::string text = std::string("x\n\"") + wrong + "\"\n";
    CHECK(message_of([&] { CsvTable::parse(text, "t").row(0).number("x"); }) != "no error");
  }
  for (const char* wrong : {"1.0", "1e3", "9223372036854775808", "-"}) {
    CAPTURE(wrong);
    const std::string text = std::string("x\n") + wrong + "\n";
    CHECK(message_of([&] { CsvTable::parse(text, "t").row(0).integer("x"); }) != "no error");
  }
}

TEST_CASE("a missing column is refused with the nearest name") {
  const CsvTable t = CsvTable::parse("thread,buckets\n1,2\n", "t.csv");
  CHECK(message_of([&] {
          t.require_columns({"buckets", "threads"});
        }) ==
        "t.csv:1:1: found no column \"threads\", but \"thread\"; allowed: a header with "
        "\"threads\"");
  CHECK(message_of([&] { t.row(0).text("policy"); }) ==
        "t.csv:1:1: found no column \"policy\"; allowed: a header with \"policy\"");
}

TEST_CASE("a field that is written is read back") {
  for (const char* text : {"plain", "a,b", "say \"hi\"", "two\nlines", "cr\r", ""}) {
    CAPTURE(text);
    const std::string table = "x,y\n" + csv_field(text) + ",1\n";
    CHECK(CsvTable::parse(table, "t").row(0).text("x") == text);
  }
}

TEST_CASE("a missing file is one line with the system's reason") {
  CHECK(message_of([] { CsvTable::read("/nonexistent.csv"); }) ==
        "/nonexistent.csv: can't read: No such file or directory");
}
