#pragma once

#include <nlohmann/json.hpp>

#include "futexsim/experiment/point.hpp"

namespace futexsim {

/// What the queueing companion (models/analytic) makes of a point: no events, no randomness, at
/// once. Times in nanoseconds. Its numbers are derived from the machine's file and the order of
/// steps of the kernel, none is fitted; models/analytic/README.md has the derivation, its limits
/// and its errors.
struct Estimate {
  /// How far estimates like this one were from the simulation, as parts of it.
  struct Error {
    double median, worst;
  };

  double ops_per_sec_per_thread = 0;
  double think = 0;            ///< Z: work of an operation outside the bucket, siblings considered
  double transfer = 0;         ///< X: mean transfer of a line between two threads
  double kept = 0;             ///< P: probability that the bucket's line has stayed
  double lone_service = 0;     ///< S1: at a bucket with nobody else
  double pending_service = 0;  ///< S2: of each of two who are at a bucket
  double queued_service = 0;   ///< Sc: of each who is at a bucket with two others or more
  double counter_service = 0;  ///< at the line of a reference count; 0 where there is none
  double waiting = 0;          ///< part of an operation, behind others at the bucket or counter
  Error error{};
};

/// InputError for a point that it has no model of: another workload, policy or lock, more threads
/// than CPUs, buckets that share lines.
Estimate estimate(const Point& point);

/// A row of results with "method": "analytic". What only a simulation knows is null.
nlohmann::ordered_json estimate_row(const Point& point, const Estimate& estimate);

}  // namespace futexsim
