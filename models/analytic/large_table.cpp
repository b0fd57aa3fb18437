#include "futexsim/analytic/large_table.hpp"

#include <cmath>

namespace futexsim {

double alone_probability(double futexes, double threads, double buckets) {
  return std::exp(-futexes * (threads - 1) / buckets);
}

double kept_probability(double futexes, double threads, double buckets) {
  // Going back one round from an operation, the thread's other futexes in the bucket are met at a
  // rate `own`, those of others at `others`; after a round there is this very futex.
  const double own = (futexes - 1) / buckets;
  const double all = own + futexes * (threads - 1) / buckets;
  if (all == 0) return 1;
  return std::exp(-all) - own / all * std::expm1(-all);
}

double uncontended_time(double base, double alone, double transfer) {
  return base + (1 - alone) * transfer;
}

}  // namespace futexsim
