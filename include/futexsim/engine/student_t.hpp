// Quantiles of Student's t from + - * / and sqrt alone: the same bits with every math library.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

namespace futexsim {

/// Degrees of freedom of the normal distribution, the limit of Student's t.
inline constexpr std::uint64_t kNormalDegrees = std::numeric_limits<std::uint64_t>::max();

namespace detail {

inline constexpr double kPi = 3.14159265358979323846;

/// arctan(x), x >= 0, to about 1e-15: two halvings of the angle, then the Taylor series.
inline double arctan(double x) {
  if (x > 1) return kPi / 2 - arctan(1 / x);
  for (int halving = 0; halving < 2; ++halving) x /= 1 + std::sqrt(1 + x * x);
  double sum = 0;
  double power = x;
  for (int odd = 1; odd < 31; odd += 2) {
    sum += power / odd;
    power *= -x * x;
  }
  return 4 * sum;
}

/// P(|T| <= t), t >= 0: Abramowitz and Stegun 26.7.3 (odd) and 26.7.4 (even degrees).
inline double student_t_within(double t, std::uint64_t degrees) {
  const auto nu = static_cast<double>(degrees);
  const double cosine_squared = nu / (nu + t * t);
  const double sine = t / std::sqrt(nu + t * t);
  const bool odd = degrees % 2 == 1;
  double term = odd ? std::sqrt(cosine_squared) : 1;
  double sum = 0;
  for (std::uint64_t k = odd ? 3 : 2; k <= degrees; k += 2) {
    sum += term;
    term *= cosine_squared * static_cast<double>(k - 1) / static_cast<double>(k);
  }
  if (!odd) return sine * sum;
  return 2 / kPi * (arctan(t / std::sqrt(nu)) + sine * sum);
}

inline double student_t_by_bisection(double confidence, std::uint64_t degrees) {
  double high = 1;
  while (student_t_within(high, degrees) < confidence) high *= 2;
  double low = high > 1 ? high / 2 : 0;
  while (high - low > 1e-12 * high) {
    const double middle = low + (high - low) / 2;
    (student_t_within(middle, degrees) < confidence ? low : high) = middle;
  }
  return high;
}

}  // namespace detail

/// The t with P(|T| <= t) = confidence for Student's T: the factor of a two-sided interval.
/// 0 < confidence <= 0.9999, degrees >= 1. Up to 200 degrees to about 1e-10. Beyond, up to and
/// with kNormalDegrees, by the parabola in 1/degrees through 200, 400 and 800 (the quantile is a
/// power series in 1/degrees, A&S 26.7.5): to 1e-6 for a confidence of up to 0.99.
inline double student_t_quantile(double confidence, std::uint64_t degrees) {
  assert(confidence > 0 && confidence <= 0.9999 && degrees >= 1);
  if (degrees <= 200) return detail::student_t_by_bisection(confidence, degrees);
  const double x = degrees == kNormalDegrees ? 0 : 800 / static_cast<double>(degrees);
  const double at_1 = detail::student_t_by_bisection(confidence, 800);
  const double at_2 = detail::student_t_by_bisection(confidence, 400);
  const double at_4 = detail::student_t_by_bisection(confidence, 200);
  return at_1 * (x - 2) * (x - 4) / 3 - at_2 * (x - 1) * (x - 4) / 2 + at_4 * (x - 1) * (x - 2) / 6;
}

}  // namespace futexsim
