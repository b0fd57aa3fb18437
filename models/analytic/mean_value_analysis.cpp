#include "futexsim/analytic/mean_value_analysis.hpp"

#include <Eigen/Core>

namespace futexsim {

NetworkSolution mean_value_analysis(const ClosedNetwork& network) {
  const auto classes = static_cast<Eigen::Index>(network.classes.size());
  Eigen::ArrayXd stations(classes);
  Eigen::ArrayXd demand(classes);  // at one station
  for (Eigen::Index i = 0; i < classes; ++i) {
    const StationClass& one = network.classes[static_cast<std::size_t>(i)];
    stations[i] = one.stations;
    demand[i] = one.visits * one.service.front() / one.stations;
  }
  Eigen::ArrayXd customers = Eigen::ArrayXd::Zero(classes);
  double throughput = 0;
  for (std::uint32_t n = 1; n <= network.customers; ++n) {
    // Who arrives finds what one customer less leaves there on average.
    const Eigen::ArrayXd response = demand * (1 + customers);
    throughput = n / (network.delay + (stations * response).sum());
    customers = throughput * response;
  }
  const Eigen::ArrayXd idle = 1 - throughput * demand;
  return {.throughput = throughput,
          .mean_customers = {customers.begin(), customers.end()},
          .idle = {idle.begin(), idle.end()}};
}

}  // namespace futexsim
