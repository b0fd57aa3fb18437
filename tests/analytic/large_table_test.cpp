#include "futexsim/analytic/large_table.hpp"

#include <doctest/doctest.h>

using namespace futexsim;

TEST_CASE("the probability of a bucket of one's own, at sizes of published tables") {
  const auto alone = [](double threads, double buckets) {
    return alone_probability(1024, threads, buckets);
  };
  CHECK(alone(140, 65536) == doctest::Approx(0.114).epsilon(0.005));
  CHECK(alone(240, 131072) == doctest::Approx(0.155).epsilon(0.005));
  CHECK(alone(34, 131072) == doctest::Approx(0.773).epsilon(0.005));
  CHECK(alone(14, 16384) == doctest::Approx(0.444).epsilon(0.005));
  CHECK(alone(28, 16384) == doctest::Approx(0.185).epsilon(0.005));
}

TEST_CASE("in one bucket the last to pass is any of the threads; alone, it is oneself") {
  CHECK(kept_probability(1024, 4, 1) == doctest::Approx(0.25).epsilon(1e-3));
  CHECK(kept_probability(1024, 1, 8) == doctest::Approx(1));
  CHECK(kept_probability(1, 1, 8) == 1);
}

TEST_CASE("one futex a thread: nobody has passed the bucket but who lives there") {
  CHECK(kept_probability(1, 28, 64) ==
        doctest::Approx(alone_probability(1, 28, 64)).epsilon(1e-12));
}

TEST_CASE("half of the buckets shared, half a transfer more") {
  CHECK(uncontended_time(300, 0.5, 100) == 350);
}
