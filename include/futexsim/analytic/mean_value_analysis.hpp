#pragma once

#include "futexsim/analytic/closed_network.hpp"

namespace futexsim {

/// Exact mean value analysis (Reiser and Lavenberg, JACM 1980) of a network whose service times
/// are constant: of each class, the first is taken. A second way to the same answer as solve(),
/// and the textbook's model of a lock, which the tables of futex hashing refute: a bucket that has
/// a queue takes several times as long (models/analytic/README.md). O(customers) for each class.
NetworkSolution mean_value_analysis(const ClosedNetwork& network);

}  // namespace futexsim
