#pragma once

namespace futexsim {

/// P(alone) = exp(-futexes (threads - 1) / buckets): the probability that no other thread has a
/// futex in a bucket that a thread uses, `futexes` of each thread spread evenly.
double alone_probability(double futexes, double threads, double buckets);

/// The probability that nobody else has passed a bucket since the thread did, when each goes round
/// its futexes in turn: alone_probability() for one futex of the thread in a bucket, and more in
/// small tables, where another of its own may have come between.
double kept_probability(double futexes, double threads, double buckets);

/// T = b + (1 - P) X: the time of an operation in a table so large that nobody waits. `base` is
/// the operation on a line that was kept, `transfer` one mean transfer of a line.
double uncontended_time(double base, double alone, double transfer);

}  // namespace futexsim
