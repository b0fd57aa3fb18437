#include "futexsim/engine/statistics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <vector>

#include "futexsim/engine/random.hpp"
#include "futexsim/engine/trace_hash.hpp"

using namespace futexsim;

namespace {

double uniform(RandomStream& stream) {
  return static_cast<double>(stream.next() >> 11) * 0x1p-53;
}

/// Mean 0, variance 1: the sum of twelve uniforms, centred.
double nearly_normal(RandomStream& stream) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform(stream);
  return sum;
}

RunningMoments moments_of(std::initializer_list<double> values) {
  RunningMoments moments;
  for (const double value : values) moments.add(value);
  return moments;
}

/// How often, of `runs` intervals, one covers 0; sd of the fraction sqrt(0.95 * 0.05 / runs).
template <typename MakeInterval>
double coverage(int runs, MakeInterval make_interval) {
  int covered = 0;
  for (int run = 0; run < runs; ++run) {
    covered += static_cast<int>(make_interval().contains(0));
  }
  return covered / static_cast<double>(runs);
}

}  // namespace

TEST_CASE("moments of 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squared deviations 32") {
  const RunningMoments moments = moments_of({2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(moments.count() == 8);
  CHECK(moments.mean() == doctest::Approx(5));
  CHECK(moments.squared_deviations() == doctest::Approx(32));
  CHECK(moments.variance() == doctest::Approx(32.0 / 7));
  CHECK(moments.standard_deviation() == doctest::Approx(std::sqrt(32.0 / 7)));
}

TEST_CASE("moments keep a small variance beside a huge mean") {
  const RunningMoments moments = moments_of({1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16});
  CHECK(moments.variance() == doctest::Approx(30));
}

TEST_CASE("moments of nothing and of one value have no spread") {
  CHECK(RunningMoments().mean() == 0);
  CHECK(RunningMoments().variance() == 0);
  CHECK(moments_of({3}).mean() == 3);
  CHECK(moments_of({3}).variance() == 0);
}

TEST_CASE("Student's t has the quantiles of the textbooks") {
  struct Row {
    std::uint64_t degrees;
    double t90, t95, t99;
  };
  // NIST/SEMATECH e-Handbook 1.3.6.7.2; more digits from the incomplete beta function (mpmath).
  const Row rows[] = {
      {1, 6.3137515147, 12.7062047362, 63.6567411629},
      {2, 2.9199855804, 4.3026527298, 9.9248432009},
      {3, 2.3533634348, 3.1824463053, 5.8409093097},
      {4, 2.132, 2.776, 4.604},
      {5, 2.015, 2.571, 4.032},
      {10, 1.812, 2.228, 3.169},
      {29, 1.6991270265, 2.0452296421, 2.7563859037},
      {30, 1.697, 2.042, 2.750},
      {60, 1.671, 2.000, 2.660},
      {120, 1.6576508994, 1.9799304051, 2.6174211451},
      {200, 1.6525081009, 1.9718962236, 2.6006344362},
      {201, 1.6524698420, 1.9718365068, 2.6005099191},
      {1000, 1.6463788173, 1.9623390808, 2.5807546981},
      {kNormalDegrees, 1.6448536270, 1.9599639845, 2.5758293036},
  };
  for (const Row& row : rows) {
    CAPTURE(row.degrees);
    CHECK(std::abs(student_t_quantile(0.90, row.degrees) - row.t90) < 5.1e-4);
    CHECK(std::abs(student_t_quantile(0.95, row.degrees) - row.t95) < 5.1e-4);
    CHECK(std::abs(student_t_quantile(0.99, row.degrees) - row.t99) < 5.1e-4);
  }
  CHECK(std::abs(student_t_quantile(0.95, 29) - 2.04522964213) < 1e-9);
  CHECK(std::abs(student_t_quantile(0.95, 120) - 1.97993040508) < 1e-9);
  CHECK(std::abs(student_t_quantile(0.95, 1000) - 1.96233908083) < 1e-6);
  CHECK(std::abs(student_t_quantile(0.99, kNormalDegrees) - 2.57582930355) < 1e-6);
}

TEST_CASE("Student's t falls with the degrees, without a step where the method changes") {
  double previous = std::numeric_limits<double>::infinity();
  for (std::uint64_t degrees = 1; degrees < 250; ++degrees) {
    const double t = student_t_quantile(0.95, degrees);
    CHECK(t < previous);
    previous = t;
  }
}

TEST_CASE("Student's t has the same bits on every compiler and optimisation level") {
  TraceHash bits;
  for (std::uint64_t degrees = 1; degrees < 300; ++degrees) {
    bits.add(std::bit_cast<std::uint64_t>(student_t_quantile(0.95, degrees)));
  }
  CHECK(to_hex(bits.value()) == "0e1b8e5dce6d0929");
}

TEST_CASE("interval of 10, 12, 14: 12 +- 4.303 * 2 / sqrt(3)") {
  const ConfidenceInterval interval = confidence_interval(moments_of({10, 12, 14}));
  CHECK(interval.mean == doctest::Approx(12));
  CHECK(interval.half_width == doctest::Approx(4.968).epsilon(1e-3));
  CHECK(interval.relative() == doctest::Approx(0.414).epsilon(1e-3));
  CHECK(interval.contains(16.9));
  CHECK_FALSE(interval.contains(17.0));
  CHECK_FALSE(interval.contains(7.0));
}

TEST_CASE("too few values give an infinite half-width, no spread gives none") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  CHECK(confidence_interval(RunningMoments()).half_width == kInfinity);
  CHECK(confidence_interval(moments_of({5})).half_width == kInfinity);
  CHECK(confidence_interval(moments_of({5, 5})).relative() == 0);
  CHECK(confidence_interval(moments_of({0, 0})).relative() == 0);
  CHECK(confidence_interval(moments_of({-1, 1})).relative() == kInfinity);
  CHECK(confidence_interval(moments_of({-10, -12, -14})).relative() ==
        doctest::Approx(0.414).epsilon(1e-3));
}

TEST_CASE("95 % intervals of independent values cover in 95 % of cases") {
  RandomStream stream(17, "coverage");
  const double covered = coverage(10'000, [&] {
    RunningMoments moments;
    for (int i = 0; i < 6; ++i) moments.add(nearly_normal(stream));
    return confidence_interval(moments);
  });
  CHECK(covered > 0.94);  // 4.6 standard deviations
  CHECK(covered < 0.96);
}

TEST_CASE("batch means average whole batches and drop the odd values at the front") {
  const std::vector<double> series{100, 1, 3, 2, 4, 5, 7};
  const ConfidenceInterval interval = batch_means(series, 3);
  const ConfidenceInterval expected = confidence_interval(moments_of({2, 3, 6}));
  CHECK(interval.mean == expected.mean);
  CHECK(interval.half_width == expected.half_width);
}

TEST_CASE("batch means of too short a series or one batch have an infinite half-width") {
  const std::vector<double> series{1, 2};
  for (const std::size_t batches : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
    CHECK(std::isinf(batch_means(series, batches).half_width));
  }
}

TEST_CASE("batch means cover the mean of an autocorrelated series, a plain interval does not") {
  // AR(1) with coefficient 0.8: the variance of the mean is 9 times that of independent values.
  RandomStream stream(19, "autoregression");
  std::vector<double> series(4000);
  const auto draw = [&] {
    double value = nearly_normal(stream) / 0.6;
    for (double& next : series) next = value = 0.8 * value + nearly_normal(stream);
  };
  const double batched = coverage(1000, [&] {
    draw();
    return batch_means(series, 20);
  });
  const double plain = coverage(200, [&] {
    draw();
    return batch_means(series, series.size());
  });
  CHECK(batched > 0.91);
  CHECK(batched < 0.98);
  CHECK(plain < 0.7);
}

TEST_CASE("MSER-5 finds the end of a known transient") {
  // 200 values start 50 standard deviations too high, 1800 are steady.
  RandomStream stream(23, "transient");
  for (int repetition = 0; repetition < 20; ++repetition) {
    std::vector<double> series(2000, 100);
    std::fill_n(series.begin(), 200, 150);
    for (double& value : series) value += nearly_normal(stream);
    const WarmUp warm_up = mser5(series);
    CHECK(warm_up.truncation >= 200);
    CHECK(warm_up.truncation <= 600);
    CHECK(warm_up.truncation % 5 == 0);
    CHECK_FALSE(warm_up.capped);
  }
}

TEST_CASE("MSER-5 by hand: one deviating batch of twenty is dropped, and only that") {
  std::vector<double> series(100, 1.0);
  for (std::size_t i = 0; i < 5; ++i) series[i] = 2.0;
  const WarmUp warm_up = mser5(series);
  CHECK(warm_up.truncation == 5);
  CHECK_FALSE(warm_up.capped);
}

TEST_CASE("MSER-5 drops nothing of a constant series") {
  const std::vector<double> series(100, 0.1);
  CHECK(mser5(series).truncation == 0);
  CHECK_FALSE(mser5(series).capped);
}

TEST_CASE("MSER-5 leaves most of a steady series") {
  RandomStream stream(29, "steady");
  double dropped = 0;
  for (int repetition = 0; repetition < 50; ++repetition) {
    std::vector<double> series(1000);
    for (double& value : series) value = nearly_normal(stream);
    dropped += static_cast<double>(mser5(series).truncation);
  }
  CHECK(dropped / 50 < 250);
}

TEST_CASE("MSER-5 says that a series which never settles is too short") {
  std::vector<double> ramp(1003);
  std::iota(ramp.begin(), ramp.end(), 0);
  const WarmUp warm_up = mser5(ramp);
  CHECK(warm_up.capped);
  CHECK(warm_up.truncation == 500);
}

TEST_CASE("MSER-5 can't judge fewer than 10 batches") {
  CHECK(mser5({}).capped);
  CHECK(mser5(std::vector<double>(49, 1.0)).capped);
  CHECK(mser5(std::vector<double>(49, 1.0)).truncation == 0);
  CHECK_FALSE(mser5(std::vector<double>(50, 1.0)).capped);
}

TEST_CASE("the stopping rule asks for the least number, then for precision, up to the most") {
  const StoppingRule rule{.precision = 0.1, .min_replications = 3, .max_replications = 5};
  CHECK_FALSE(rule.enough(moments_of({10, 10})));
  CHECK(rule.enough(moments_of({10, 10, 10})));
  CHECK(rule.precise(moments_of({10, 10, 10})));
  CHECK_FALSE(rule.enough(moments_of({10, 15, 20, 12})));
  CHECK(rule.enough(moments_of({10, 15, 20, 12, 11})));
  CHECK_FALSE(rule.precise(moments_of({10, 15, 20, 12, 11})));
}

TEST_CASE("the stopping rule compares the relative half-width with the precision") {
  // 10, 12, 14: 0.414 (above).
  StoppingRule rule{.precision = 0.42, .min_replications = 3};
  CHECK(rule.precise(moments_of({10, 12, 14})));
  rule.precision = 0.41;
  CHECK_FALSE(rule.precise(moments_of({10, 12, 14})));
  rule.confidence = 0.90;  // 2.920 instead of 4.303
  CHECK(rule.precise(moments_of({10, 12, 14})));
}

TEST_CASE("stopping when precise still covers in at least 92.5 % of runs by default") {
  // The least favourable spread: 2 % of the mean. From 3 replications on it would be 90 %.
  RandomStream stream(31, "sequential");
  const auto run_until_enough = [&](const StoppingRule& rule) {
    RunningMoments replications;
    while (!rule.enough(replications)) replications.add(1 + 0.02 * nearly_normal(stream));
    ConfidenceInterval error = confidence_interval(replications, rule.confidence);
    error.mean -= 1;
    return error;
  };
  CHECK(coverage(4000, [&] { return run_until_enough({}); }) > 0.925);
  CHECK(coverage(4000, [&] { return run_until_enough({.min_replications = 3}); }) < 0.92);
}
