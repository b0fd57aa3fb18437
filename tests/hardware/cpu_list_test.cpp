#include "futexsim/hardware/cpu_list.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace futexsim;

namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers numbers_of(const char* list) {
  Numbers numbers;
  for (const CpuId cpu : parse_cpu_list(list)) numbers.push_back(cpu.value);
  return numbers;
}

std::string format(const Numbers& numbers) {
  std::vector<CpuId> cpus;
  for (const std::uint32_t number : numbers) cpus.push_back({number});
  return format_cpu_list(cpus);
}

}  // namespace

TEST_CASE("a CPU list is numbers, ranges and ranges with a stride, in the order written") {
  CHECK(numbers_of("5") == Numbers{5});
  CHECK(numbers_of("0-3,16-17") == Numbers{0, 1, 2, 3, 16, 17});
  CHECK(numbers_of("9,2") == Numbers{9, 2});
  CHECK(numbers_of("0-6:2") == Numbers{0, 2, 4, 6});
  CHECK(numbers_of("0-7:3,10") == Numbers{0, 3, 6, 10});
  CHECK(numbers_of("4-4") == Numbers{4});
  CHECK(numbers_of("8191") == Numbers{8191});
}

TEST_CASE("what isn't a CPU list is refused, and the message shows it") {
  for (const char* const bad :
       {"",      ",",   "1,",   ",1",    "1,,2",   "-1",   "1-",
        "-",     "a",   "1a",   "0x3",   "1 2",    " 1",   "1 ",
        "1-2-3", "1:",  "1-4:", "1-4:a", "1-4:-2", "8192", "99999999999999999999",
        "1.5",   "1;2", "all",  "+1"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_cpu_list(bad), std::invalid_argument);
  }
  CHECK_THROWS_WITH(parse_cpu_list("0-x"), "not a CPU list such as 0-7,16-23: \"0-x\"");
}

TEST_CASE("a range that runs backwards or never ends is refused") {
  CHECK_THROWS_WITH(parse_cpu_list("3-1"), "an empty range in CPU list \"3-1\"");
  CHECK_THROWS_WITH(parse_cpu_list("0-8:0"), "an empty range in CPU list \"0-8:0\"");
}

TEST_CASE("formatting joins neighbours and sorts") {
  CHECK(format({}) == "");
  CHECK(format({7}) == "7");
  CHECK(format({3, 1, 2}) == "1-3");
  CHECK(format({0, 1, 16, 17, 20}) == "0-1,16-17,20");
  CHECK(format({0, 2, 4}) == "0,2,4");
}

TEST_CASE("a list without strides comes back as it went in") {
  for (const char* const list : {"0", "0-7,16-23", "0-63,128-191", "1,3,5-6"}) {
    CHECK(format(numbers_of(list)) == list);
  }
}
