#include "futexsim/analytic/scaled_series.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace futexsim;

namespace {

ScaledSeries series(std::initializer_list<double> coefficients) {
  Eigen::ArrayXd out(static_cast<Eigen::Index>(coefficients.size()));
  std::copy(coefficients.begin(), coefficients.end(), out.begin());
  return ScaledSeries::scaled(out);
}

double value(const ScaledSeries& series, Eigen::Index i) {
  return std::ldexp(series.coefficients[i], static_cast<int>(series.exponent));
}

}  // namespace

TEST_CASE("the largest coefficient lies in [1/2, 1), whatever the size of all") {
  for (const double size : {1e-300, 3e-5, 0.5, 1.0, 7e8, 1e300}) {
    const ScaledSeries scaled = series({size, size / 3, 0});
    CHECK(scaled.coefficients[0] >= 0.5);
    CHECK(scaled.coefficients[0] < 1);
    CHECK(value(scaled, 0) == size);
  }
}

TEST_CASE("a product by hand, cut to the length of its factors") {
  // (1 + 2z + 3z^2)(4 + 5z + 6z^2) = 4 + 13z + 28z^2 + ...
  const ScaledSeries product = series({1, 2, 3}) * series({4, 5, 6});
  CHECK(value(product, 0) == 4);
  CHECK(value(product, 1) == 13);
  CHECK(value(product, 2) == 28);
}

TEST_CASE("repeated squaring is the product of all factors in sequence") {
  const ScaledSeries factor = series({1, 0.3, 2.5, 0.01, 0.7});
  ScaledSeries sequential = ScaledSeries::one(5);
  for (std::uint32_t count = 0; count <= 40; ++count) {
    const ScaledSeries squared = power(factor, count);
    for (Eigen::Index i = 0; i < 5; ++i) {
      CHECK(value(squared, i) == doctest::Approx(value(sequential, i)).epsilon(1e-13));
    }
    sequential = sequential * factor;
  }
}

TEST_CASE("a power far beyond the range of a double: binomial coefficients of 131072") {
  // (1 + tz)^B: the ratio of neighbours is t (B - k) / (k + 1); that t makes it 1 near k = 512.
  constexpr std::uint32_t stations = 131072;
  constexpr double tilt = 512.0 / stations;
  Eigen::ArrayXd factor = Eigen::ArrayXd::Zero(513);
  factor[0] = 1;
  factor[1] = tilt;
  const ScaledSeries binomial = power(ScaledSeries::scaled(factor), stations);
  for (Eigen::Index k = 0; k < 512; ++k) {
    const auto position = static_cast<double>(k);
    CHECK(binomial.coefficients[k + 1] / binomial.coefficients[k] ==
          doctest::Approx(tilt * (stations - position) / (position + 1)).epsilon(1e-10));
  }
  // All together are (1 + t)^B = e^511, spread like a Poisson distribution of mean 512: the largest
  // is e^511 / sqrt(1024 pi) = 2^731.4.
  CHECK(binomial.exponent == 732);
}

TEST_CASE("a product whose terms all vanish is zero, not an accident") {
  const ScaledSeries steep = series({0, 1});
  CHECK((steep * steep).coefficients.maxCoeff() == 0);
}
