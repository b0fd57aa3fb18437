#include "futexsim/analytic/scaled_series.hpp"

#include <cassert>
#include <cmath>
#include <utility>

namespace futexsim {

ScaledSeries ScaledSeries::scaled(Eigen::ArrayXd coefficients, std::int64_t exponent) {
  assert(coefficients.minCoeff() >= 0 && std::isfinite(coefficients.maxCoeff()));
  if (coefficients.maxCoeff() == 0) return {std::move(coefficients), exponent};
  int shift = 0;
  std::frexp(coefficients.maxCoeff(), &shift);
  // In two steps, as 2^-shift itself may be out of range.
  coefficients *= std::ldexp(1.0, -shift / 2);
  coefficients *= std::ldexp(1.0, shift / 2 - shift);
  return {std::move(coefficients), exponent + shift};
}

ScaledSeries ScaledSeries::one(Eigen::Index length) {
  Eigen::ArrayXd coefficients = Eigen::ArrayXd::Zero(length);
  coefficients[0] = 1;
  return scaled(std::move(coefficients));
}

ScaledSeries operator*(const ScaledSeries& a, const ScaledSeries& b) {
  const Eigen::Index length = a.coefficients.size();
  assert(length == b.coefficients.size());
  Eigen::ArrayXd product = Eigen::ArrayXd::Zero(length);
  for (Eigen::Index i = 0; i < length; ++i) {
    if (a.coefficients[i] == 0) continue;
    product.tail(length - i) += a.coefficients[i] * b.coefficients.head(length - i);
  }
  return ScaledSeries::scaled(std::move(product), a.exponent + b.exponent);
}

ScaledSeries power(const ScaledSeries& factor, std::uint32_t power) {
  ScaledSeries out = ScaledSeries::one(factor.coefficients.size());
  ScaledSeries square = factor;
  for (; power > 0; power /= 2) {
    if (power % 2 == 1) out = out * square;
    if (power > 1) square = square * square;
  }
  return out;
}

}  // namespace futexsim
