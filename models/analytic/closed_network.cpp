#include "futexsim/analytic/closed_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "futexsim/analytic/scaled_series.hpp"

namespace futexsim {
namespace {

/// The generating function of a network's parts in z times `tilt`. The tilt cancels in every
/// answer; near the throughput it keeps the coefficients that matter near the largest.
class TiltedNetwork {
 public:
  TiltedNetwork(const ClosedNetwork& network, double tilt)
      : network_(network), tilt_(tilt), length_(Eigen::Index{network.customers} + 1) {
    whole_ = delay();
    for (const StationClass& stations : network.classes) {
      one_.push_back(station(stations));
      others_.push_back(power(one_.back(), stations.stations - 1));
      whole_ = whole_ * others_.back() * one_.back();
    }
  }

  /// G(N - 1) / G(N). NaN or not positive when out of range.
  double throughput() const {
    const Eigen::ArrayXd& g = whole_.coefficients;
    return tilt_ * g[length_ - 2] / g[length_ - 1];
  }

  /// Distribution of the customers at one station of the class.
  Eigen::ArrayXd marginal(std::size_t index) const {
    ScaledSeries rest = delay() * others_[index];
    for (std::size_t other = 0; other < one_.size(); ++other) {
      if (other != index) rest = rest * others_[other] * one_[other];
    }
    const Eigen::ArrayXd weights = one_[index].coefficients * rest.coefficients.reverse();
    return weights / weights.sum();
  }

 private:
  ScaledSeries delay() const {
    return product_of_terms(
        [&](Eigen::Index n) { return network_.delay / static_cast<double>(n); });
  }
  ScaledSeries station(const StationClass& stations) const {
    const double visits = stations.visits / stations.stations;
    return product_of_terms([&](Eigen::Index n) {
      const auto last = static_cast<Eigen::Index>(stations.service.size()) - 1;
      return visits * stations.service[static_cast<std::size_t>(std::min(n - 1, last))];
    });
  }

  /// 1, f(1), f(1) f(2), ...
  template <class Factor>
  ScaledSeries product_of_terms(Factor factor) const {
    Eigen::ArrayXd logarithms(length_);
    logarithms[0] = 0;
    for (Eigen::Index n = 1; n < length_; ++n) {
      logarithms[n] = logarithms[n - 1] + std::log(tilt_ * factor(n));
    }
    const double largest = logarithms.maxCoeff();
    const auto exponent = static_cast<std::int64_t>(std::llround(largest / std::log(2.0)));
    return ScaledSeries::scaled((logarithms - static_cast<double>(exponent) * std::log(2.0)).exp(),
                                exponent);
  }

  const ClosedNetwork& network_;
  double tilt_;
  Eigen::Index length_;
  ScaledSeries whole_;
  std::vector<ScaledSeries> one_;     ///< by class: one station
  std::vector<ScaledSeries> others_;  ///< by class: all but one
};

/// No customer is faster than alone, nor all than the slowest stations when they are full.
double asymptotic_throughput(const ClosedNetwork& network) {
  double alone = network.delay;
  double bound = std::numeric_limits<double>::infinity();
  for (const StationClass& stations : network.classes) {
    alone += stations.visits * stations.service.front();
    bound = std::min(bound, stations.stations / (stations.visits * stations.service.back()));
  }
  return std::min(bound, network.customers / alone);
}

bool in_range(double throughput) {
  return std::isnormal(throughput) && throughput > 0;
}

}  // namespace

NetworkSolution solve(const ClosedNetwork& network) {
  constexpr int most_tilts = 40;
  // Beyond it, terms that matter may have been lost: the range of a double is e^708.
  constexpr double most_distance = 100;
  const double first = asymptotic_throughput(network);
  double tilt = first;
  for (int i = 1; in_range(tilt) && i < most_tilts; ++i) {
    const TiltedNetwork tilted(network, tilt);
    const double throughput = tilted.throughput();
    if (!in_range(throughput)) {
      tilt = first * std::ldexp(1.0, i % 2 == 0 ? i / 2 : -(i + 1) / 2);
      continue;
    }
    if (network.customers * std::abs(std::log(throughput / tilt)) > most_distance) {
      tilt = throughput;
      continue;
    }
    NetworkSolution out{.throughput = throughput, .mean_customers = {}, .idle = {}};
    for (std::size_t index = 0; index < network.classes.size(); ++index) {
      const Eigen::ArrayXd marginal = tilted.marginal(index);
      const Eigen::Index length = marginal.size();
      out.mean_customers.push_back(
          (marginal * Eigen::ArrayXd::LinSpaced(length, 0, static_cast<double>(length - 1))).sum());
      out.idle.push_back(marginal[0]);
    }
    return out;
  }
  throw std::domain_error("a closed network whose throughput is out of range");
}

}  // namespace futexsim
