#include "futexsim/analytic/closed_network.hpp"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <map>

#include "futexsim/analytic/mean_value_analysis.hpp"

using namespace futexsim;

namespace {

using State = std::vector<std::uint32_t>;  ///< customers at each station; the rest thinks

/// Every way to have at most `customers` at so many stations.
std::vector<State> states(std::uint32_t customers, std::size_t stations) {
  std::vector<State> out;
  State state(stations);
  const std::function<void(std::size_t, std::uint32_t)> fill = [&](std::size_t station,
                                                                   std::uint32_t left) {
    if (station == stations) return out.push_back(state);
    for (std::uint32_t here = 0; here <= left; ++here) {
      state[station] = here;
      fill(station + 1, left - here);
    }
  };
  fill(0, customers);
  return out;
}

std::uint32_t at_stations(const State& state) {
  std::uint32_t sum = 0;
  for (const std::uint32_t here : state) sum += here;
  return sum;
}

double service(const StationClass& stations, std::uint32_t here) {
  return stations.service[std::min<std::size_t>(here, stations.service.size()) - 1];
}

/// Throughput of a network of one class from the balance equations of its Markov chain.
double markov_throughput(const ClosedNetwork& network) {
  const StationClass& stations = network.classes.front();
  const std::vector<State> all = states(network.customers, stations.stations);
  std::map<State, Eigen::Index> number;
  for (const State& state : all) number.emplace(state, static_cast<Eigen::Index>(number.size()));
  const auto size = static_cast<Eigen::Index>(all.size());
  Eigen::MatrixXd rates = Eigen::MatrixXd::Zero(size, size);
  const auto add = [&](const State& from, const State& to, double rate) {
    rates(number.at(from), number.at(to)) += rate;
    rates(number.at(from), number.at(from)) -= rate;
  };
  for (const State& state : all) {
    const double thinking = network.customers - at_stations(state);
    for (std::size_t i = 0; i < stations.stations; ++i) {
      State next = state;
      if (thinking > 0) {
        ++next[i];
        add(state, next, thinking / network.delay / stations.stations);
        --next[i];
      }
      if (state[i] == 0) continue;
      --next[i];
      add(state, next, 1 / service(stations, state[i]));
    }
  }
  Eigen::MatrixXd equations = rates.transpose();
  equations.row(0).setOnes();
  Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
  right[0] = 1;
  const Eigen::VectorXd probability = equations.fullPivLu().solve(right);
  double throughput = 0;
  for (const State& state : all) {
    throughput +=
        probability[number.at(state)] * (network.customers - at_stations(state)) / network.delay;
  }
  return throughput;
}

/// The product form summed over every state: sum of G's terms for n customers.
double normalising_constant(const ClosedNetwork& network, std::uint32_t customers) {
  std::vector<StationClass> stations;
  for (const StationClass& one : network.classes)
    stations.insert(stations.end(), one.stations, one);
  double sum = 0;
  for (const State& state : states(customers, stations.size())) {
    const std::uint32_t thinking = customers - at_stations(state);
    double term = std::pow(network.delay, thinking) / std::tgamma(thinking + 1.0);
    for (std::size_t i = 0; i < stations.size(); ++i) {
      for (std::uint32_t here = 1; here <= state[i]; ++here) {
        term *= stations[i].visits / stations[i].stations * service(stations[i], here);
      }
    }
    sum += term;
  }
  return sum;
}

}  // namespace

TEST_CASE("M/M/1//N, the machine repairman: the probability of an idle repairman in closed form") {
  // N machines run for Z on average and are repaired one by one in S:
  // 1 / P(idle) = sum over k of N! / (N - k)! (S/Z)^k.
  for (const std::uint32_t machines : {1U, 2U, 5U, 20U}) {
    const double run = 7;
    const double repair = 2;
    double sum = 0;
    double term = 1;
    for (std::uint32_t k = 0; k <= machines; ++k) {
      sum += term;
      term *= (machines - k) * repair / run;
    }
    const NetworkSolution solution =
        solve({.customers = machines, .delay = run, .classes = {{.service = {repair}}}});
    CHECK(solution.idle[0] == doctest::Approx(1 / sum).epsilon(1e-12));
    CHECK(solution.throughput == doctest::Approx((1 - 1 / sum) / repair).epsilon(1e-12));
  }
}

TEST_CASE("two stations without a delay to speak of: N of N + 1 states keep each of them busy") {
  // Equal stations: all states are equally likely.
  const NetworkSolution solution = solve(
      {.customers = 4, .delay = 1e-12, .classes = {{.stations = 2, .visits = 2, .service = {3}}}});
  CHECK(solution.throughput == doctest::Approx(4.0 / 5 / 3).epsilon(1e-9));
  CHECK(solution.mean_customers[0] == doctest::Approx(2).epsilon(1e-9));
}

TEST_CASE("convolution is the sum over every state, for two classes that depend on their load") {
  const ClosedNetwork network{
      .customers = 5,
      .delay = 11,
      .classes = {{.stations = 3, .visits = 1, .service = {2, 5}},
                  {.stations = 1, .visits = 1.5, .service = {1, 1, 4, 0.5}}}};
  const double whole = normalising_constant(network, 5);
  CHECK(solve(network).throughput ==
        doctest::Approx(normalising_constant(network, 4) / whole).epsilon(1e-12));
}

TEST_CASE("a bucket that slows down when it has a queue: as the Markov chain has it") {
  for (const double queued : {1.0, 4.0, 30.0}) {
    const ClosedNetwork network{
        .customers = 4, .delay = 6, .classes = {{.stations = 2, .service = {1, queued}}}};
    CHECK(solve(network).throughput == doctest::Approx(markov_throughput(network)).epsilon(1e-10));
  }
}

TEST_CASE("mean value analysis finds the same for constant service") {
  for (const std::uint32_t customers : {1U, 2U, 28U, 240U}) {
    for (const std::uint32_t stations : {1U, 2U, 37U, 4096U}) {
      const ClosedNetwork network{
          .customers = customers,
          .delay = 300,
          .classes = {{.stations = stations, .service = {150}}, {.visits = 2, .service = {0.25}}}};
      const NetworkSolution exact = solve(network);
      const NetworkSolution mva = mean_value_analysis(network);
      CHECK(exact.throughput == doctest::Approx(mva.throughput).epsilon(1e-11));
      CHECK(exact.mean_customers[0] == doctest::Approx(mva.mean_customers[0]).epsilon(1e-9));
      CHECK(exact.mean_customers[1] == doctest::Approx(mva.mean_customers[1]).epsilon(1e-9));
      CHECK(exact.idle[1] == doctest::Approx(mva.idle[1]).epsilon(1e-9));
    }
  }
}

TEST_CASE("every customer is somewhere, in the largest network too") {
  for (const std::uint32_t customers : {1U, 140U, 512U}) {
    for (const std::uint32_t stations : {1U, 2U, 256U, 131072U}) {
      for (const double queued : {20.0, 150.0, 800.0, 1e5}) {
        const ClosedNetwork network{.customers = customers,
                                    .delay = 300,
                                    .classes = {{.stations = stations, .service = {150, queued}}}};
        const NetworkSolution solution = solve(network);
        const double there =
            solution.throughput * network.delay + stations * solution.mean_customers[0];
        CHECK(there == doctest::Approx(customers).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("more buckets, less thinking and faster service never lower the throughput") {
  const auto throughput = [](std::uint32_t stations, double delay, double queued) {
    return solve({.customers = 140,
                  .delay = delay,
                  .classes = {{.stations = stations, .service = {150, queued}}}})
        .throughput;
  };
  double last = 0;
  for (std::uint32_t stations = 1; stations <= 131072; stations *= 2) {
    const double now = throughput(stations, 300, 700);
    CHECK(now > last);
    CHECK(now < throughput(stations, 300, 600));
    last = now;
  }
  CHECK(throughput(1024, 300, 700) < throughput(1024, 200, 700));
}

TEST_CASE("times beyond the range of a double are refused, not answered") {
  CHECK_THROWS_AS(solve({.customers = 2, .delay = 1e308, .classes = {{.service = {1e308, 1e308}}}}),
                  std::domain_error);
}
