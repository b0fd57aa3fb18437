#pragma once

#include <cstdint>
#include <vector>

namespace futexsim {

/// Stations that are alike: each serves one customer after the other, in a time that depends on
/// how many are there.
struct StationClass {
  std::uint32_t stations = 1;
  double visits = 1;            ///< of a customer in one cycle, evenly over the stations
  std::vector<double> service;  ///< [k]: mean time while k + 1 customers are there; the last holds
                                ///< for all beyond. Any unit, the same as the delay's
};

/// Customers who go round between a delay, where nobody waits, and stations: a closed product-form
/// network (Gordon and Newell, 1967; load-dependent stations as in Buzen, CACM 1973). Its answers
/// hold for exponential service, and depend on the means only at the delay.
struct ClosedNetwork {
  std::uint32_t customers = 1;
  double delay = 0;  ///< mean time at the delay in one cycle
  std::vector<StationClass> classes;
};

struct NetworkSolution {
  double throughput = 0;               ///< cycles per unit of time, all customers together
  std::vector<double> mean_customers;  ///< at one station of each class
  std::vector<double> idle;            ///< probability that one station of each class is empty

  /// Mean time of a cycle.
  double cycle(const ClosedNetwork& network) const { return network.customers / throughput; }
};

/// Exact, by Buzen's convolution, with repeated squaring over the stations of a class.
/// O(customers^2 log stations) for each class. std::domain_error where the answer is out of the
/// range of a double: customers who never wait for anything, or times of very different size.
NetworkSolution solve(const ClosedNetwork& network);

}  // namespace futexsim
