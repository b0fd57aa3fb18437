#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace futexsim {

/// Boyd-Wickizer, Kaashoek, Morris, Zeldovich, "Non-scalable locks are dangerous" (2012): a ticket
/// lock as a birth-death chain. Of `cores`, each computes for an exponential time of mean `compute`
/// before it takes the lock, so that with k in the lock, holder included, one arrives at the
/// rate (cores - k) / compute, and one leaves at 1 / service(k - 1), which depends on how many
/// wait. Any unit of time.
class TicketLockChain {
 public:
  template <class Service>
  TicketLockChain(std::uint32_t cores, double compute, Service service) : compute_(compute) {
    probability_.push_back(1);
    for (std::uint32_t k = 1; k <= cores; ++k) {
      probability_.push_back(probability_.back() * (cores - k + 1) / compute * service(k - 1));
    }
    const double sum = std::accumulate(probability_.begin(), probability_.end(), 0.0);
    for (double& p : probability_) p /= sum;
  }

  /// Of k cores in the lock.
  double probability(std::uint32_t k) const { return probability_[k]; }

  /// Operations per unit of time: what arrives, which is what leaves.
  double throughput() const {
    const std::size_t cores = probability_.size() - 1;
    double sum = 0;
    for (std::size_t k = 0; k < cores; ++k) {
      sum += probability_[k] * static_cast<double>(cores - k) / compute_;
    }
    return sum;
  }

 private:
  double compute_;
  std::vector<double> probability_;
};

}  // namespace futexsim
