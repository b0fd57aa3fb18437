#include "futexsim/hardware/directory_cache.hpp"

#include <doctest/doctest.h>

using namespace futexsim;

TEST_CASE("a line is unknown at first and known from then on") {
  DirectoryCache cache(16, 4);
  CHECK_FALSE(cache.touch(7));
  CHECK(cache.touch(7));
  CHECK(cache.touch(7));
}

TEST_CASE("a set of two ways forgets the line that came first") {
  DirectoryCache cache(8, 2);  // four sets: lines 1, 5, 9, 13 share one
  cache.touch(1);
  cache.touch(5);
  CHECK_FALSE(cache.touch(9));  // instead of 1
  CHECK(cache.touch(5));
  CHECK_FALSE(cache.touch(1));  // instead of 5, though 5 was used last: first in, first out
  CHECK_FALSE(cache.touch(5));
}

TEST_CASE("lines of other sets don't push each other out") {
  DirectoryCache cache(8, 2);
  cache.touch(1);
  for (const std::uint32_t line : {0U, 2U, 3U, 4U, 6U, 7U, 8U, 10U, 11U}) cache.touch(line);
  CHECK(cache.touch(1));
}

TEST_CASE("as many lines as it holds all stay; one more set's worth doesn't") {
  DirectoryCache cache(64, 8);
  for (std::uint32_t line = 0; line < 64; ++line) CHECK_FALSE(cache.touch(line));
  for (std::uint32_t line = 0; line < 64; ++line) CHECK(cache.touch(line));
  cache.touch(64);
  CHECK_FALSE(cache.touch(0));
}

TEST_CASE("without capacity everything misses") {
  DirectoryCache cache(0, 8);
  CHECK_FALSE(cache.touch(3));
  CHECK_FALSE(cache.touch(3));
}
