#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace futexsim {

/// The first coefficients of a power series with terms >= 0, as coefficients of which the largest
/// lies in [1/2, 1), and a power of two that they share: products of thousands of series neither
/// overflow nor lose digits.
struct ScaledSeries {
  Eigen::ArrayXd coefficients;
  std::int64_t exponent = 0;  ///< the series is `coefficients` times 2^exponent

  /// Scales `coefficients`; all zero stay so.
  static ScaledSeries scaled(Eigen::ArrayXd coefficients, std::int64_t exponent = 0);
  /// 1 + 0 z + ..., the neutral element of the product.
  static ScaledSeries one(Eigen::Index length);
};

/// The product, cut to the length of the factors, which is the same. O(length^2).
ScaledSeries operator*(const ScaledSeries& a, const ScaledSeries& b);

/// `factor` to that power by repeated squaring: O(length^2 log power).
ScaledSeries power(const ScaledSeries& factor, std::uint32_t power);

}  // namespace futexsim
