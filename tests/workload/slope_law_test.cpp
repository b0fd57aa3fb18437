// Large tables, one thread a core, nobody waits: an operation costs what it
// costs alone, and one transfer if another thread used the bucket last. T = b +
// P X, where X is the mean transfer over who had the line and who wants it, for
// the table's home.

#include <doctest/doctest.h>

#include <cmath>

#include "../support/futex_hash_lab.hpp"

using namespace futexsim;

namespace {

constexpr std::uint32_t smallest = 1U << 14, largest = 1U << 20;

/// Probability that another of N threads used a bucket last: there must be
/// another futex in it at all, and the last user of those is another thread's
/// with (N - 1) / N.
double probability_of_transfer(std::uint32_t threads, std::uint32_t buckets) {
  const double others = 1024.0 * threads - 1;
  return (1 - std::exp(-others / buckets)) * 1024.0 * (threads - 1) / others;
}

struct Line {
  double intercept, slope, worst_residual;
};

Line fit(const std::vector<std::pair<double, double>>& points) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(points.size());
  for (const auto& [x, y] : points) sx += x, sy += y, sxx += x * x, sxy += x * y;
  Line line{};
  line.slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  line.intercept = (sy - line.slope * sx) / n;
  for (const auto& [x, y] : points) {
    const double relative = std::abs(y / (line.intercept + line.slope * x) - 1);
    line.worst_residual = std::max(line.worst_residual, relative);
  }
  return line;
}

/// Mean duration of an operation in nanoseconds, over a round through all
/// futexes.
double duration(const TestMachine& machine, std::uint32_t buckets, std::uint64_t seed) {
  const std::uint32_t threads = machine.cores();
  FutexHashLab lab(machine, TestKernel{}.policy("private", buckets), threads, seed);
  const std::uint64_t round = std::uint64_t{1024} * threads;
  REQUIRE(lab.run_operations(round / 4));
  const Picoseconds begin = lab.simulation().now();
  REQUIRE(lab.run_operations(round));
  return in_nanoseconds(lab.simulation().now() - begin) / 1024;
}

Line measure(const TestMachine& machine) {
  std::vector<std::pair<double, double>> points;
  for (std::uint32_t buckets = smallest; buckets <= largest; buckets *= 4) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      points.emplace_back(probability_of_transfer(machine.cores(), buckets),
                          duration(machine, buckets, seed));
    }
  }
  return fit(points);
}

void check_law(const std::string& name, const TestMachine& machine, double base,
               double mean_transfer) {
  CAPTURE(name);
  const Line line = measure(machine);
  MESSAGE(name << ": T = " << line.intercept << " + P " << line.slope << " ns, by hand " << base
               << " + P " << mean_transfer << "; worst residual " << 100 * line.worst_residual
               << " %");
  CHECK(line.slope == doctest::Approx(mean_transfer).epsilon(0.02));
  CHECK(line.intercept == doctest::Approx(base).epsilon(0.02));
  CHECK(line.worst_residual < 0.01);
}

/// Local work, hash, critical section; three atomics of 8 ns and the unlock
/// of 1.
constexpr double base = 200 + 24 + 30 + 3 * 8 + 1;

TestMachine with_costs(TestMachine machine) {
  return machine.atomic(8).plain(1).hold_window(5);
}

}  // namespace

TEST_CASE("two sockets, source snoop: 7 of 15 others are near, 8 far") {
  const TestMachine machine =
      with_costs(TestMachine{}.nodes(2).cores_per_node(8).same_l3(50).other_l3(50).crossing(90));
  check_law("2 x 8", machine, base, (7 * 50 + 8 * (50 + 180)) / 15.0);
}

TEST_CASE("one socket: every other core is as near as the next") {
  const TestMachine machine = with_costs(TestMachine{}.cores_per_node(12).same_l3(40));
  check_law("1 x 12", machine, base, 40);
}

TEST_CASE(
    "two sockets with L3 groups, MOESI: the table's home is far for half "
    "of all") {
  // 16 cores in 4 groups. Of 15 others 3 are below the own L3, 4 in the node's
  // other group (which costs two crossings more on node 1, as the table is
  // homed on node 0), 8 on the other node.
  const TestMachine machine = with_costs(TestMachine{}
                                             .moesi()
                                             .nodes(2)
                                             .cores_per_node(8)
                                             .l3_groups_per_node(2)
                                             .same_l3(22)
                                             .other_l3(90)
                                             .crossing(55));
  const double other_group = (90 + (90 + 110)) / 2.0;
  check_law("2 x 2 x 4", machine, base, (3 * 22 + 4 * other_group + 8 * (90 + 110)) / 15.0);
}

TEST_CASE("four sockets, home snoop: a third hop where the home is neither's") {
  // Of 15 others 3 are near. Of the 12 far ones: from the home's socket (a
  // quarter of requesters) all have two crossings; else 4 of 12 holders sit at
  // the home, the other 8 cost a third.
  const TestMachine machine = with_costs(
      TestMachine{}.home_snoop().nodes(4).cores_per_node(4).same_l3(36).other_l3(36).crossing(60));
  const double two = 36 + 120, three = 36 + 180;
  const double far = 0.25 * 12 * two + 0.75 * (4 * two + 8 * three);
  check_law("4 x 4", machine, base, (3 * 36 + far) / 15);
}
