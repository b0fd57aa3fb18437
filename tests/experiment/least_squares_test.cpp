#include "futexsim/experiment/least_squares.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "futexsim/experiment/fit_statistics.hpp"

using namespace futexsim;
using doctest::Approx;
using Eigen::Index;
using Eigen::Vector2d;
using Eigen::VectorXd;
using Vectors = LeastSquaresProblem::Vectors;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr LeastSquaresOptions exact{
    .difference = 1e-6, .most_iterations = 100, .least_step = 1e-12, .least_gain = 1e-14};

/// A problem of two variables without bounds.
template <class Function>
LeastSquaresProblem problem_of(Function residuals) {
  return {.residuals =
              [residuals](const Vectors& points) {
                Vectors out;
                for (const VectorXd& x : points) out.push_back(residuals(x));
                return std::optional(out);
              },
          .allowed = {},
          .lower = Vector2d::Constant(-infinity),
          .upper = Vector2d::Constant(infinity)};
}

/// Two straight lines that meet in (3, 1).
VectorXd lines(const VectorXd& x) {
  return Vector2d(x[0] + x[1] - 4, 2 * (x[0] - x[1] - 2));
}

// Misra1a of NIST's Statistical Reference Datasets (nonlinear regression): volume adsorbed by a
// dental material against pressure, y = b1 (1 - exp(-b2 x)).
constexpr std::array pressure{77.6,  114.9, 141.1, 190.8, 239.9, 289.0, 332.8,
                              378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0};
constexpr std::array volume{10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02,
                            44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78};

/// In the logs of b1 and b2.
VectorXd misra1a(const VectorXd& logs) {
  VectorXd out(static_cast<Index>(volume.size()));
  for (std::size_t i = 0; i < volume.size(); ++i) {
    out[static_cast<Index>(i)] =
        std::exp(logs[0]) * (1 - std::exp(-std::exp(logs[1]) * pressure[i])) - volume[i];
  }
  return out;
}

}  // namespace

TEST_CASE("an exponential fit finds NIST's certified values") {
  const LeastSquaresProblem problem = problem_of(misra1a);
  const VectorXd start = Vector2d(std::log(500), std::log(0.0001));
  const LeastSquaresFit fit = minimize(problem, start, exact);
  CHECK(fit.converged);
  CHECK(std::exp(fit.x[0]) == Approx(2.3894212918e+02).epsilon(1e-6));
  CHECK(std::exp(fit.x[1]) == Approx(5.5015643181e-04).epsilon(1e-6));
  CHECK(fit.residuals.squaredNorm() == Approx(1.2455138894e-01).epsilon(1e-8));

  SUBCASE("and its certified standard deviations") {
    const ForwardDifferences differences(problem, fit.x, 1e-6);
    FitEvidence evidence;
    evidence.residuals = fit.residuals;
    evidence.jacobian = differences.jacobian(fit.residuals, *problem.residuals(differences.points));
    evidence.noise = Eigen::Matrix2d::Zero();
    evidence.block_of_row.assign(14, 0);
    const FitStatistics statistics = fit_statistics(evidence);
    const double t = 2.17881283;  // Student's, 12 degrees, 95 %
    CHECK(std::exp(fit.x[0]) * statistics.half_widths[0] == Approx(t * 2.7070075241).epsilon(1e-4));
    CHECK(std::exp(fit.x[1]) * statistics.half_widths[1] ==
          Approx(t * 7.2668688436e-06).epsilon(1e-4));
  }
}

TEST_CASE("a coarse Jacobian gets there too") {
  const VectorXd start = Vector2d(std::log(500), std::log(0.0001));
  const LeastSquaresFit fit =
      minimize(problem_of(misra1a), start, {.most_iterations = 50, .least_gain = 1e-10});
  CHECK(std::exp(fit.x[0]) == Approx(2.3894212918e+02).epsilon(0.01));
}

TEST_CASE("a bound holds its variable, and the others make the best of it") {
  LeastSquaresProblem problem = problem_of(lines);
  CHECK(minimize(problem, Vector2d(0, 0), exact).x.isApprox(Vector2d(3, 1), 1e-6));
  problem.upper[0] = 2;  // then (y - 2)^2 + 4 y^2 is least at 2/5
  const LeastSquaresFit fit = minimize(problem, Vector2d(0, 0), exact);
  CHECK(fit.converged);
  CHECK(fit.x.isApprox(Vector2d(2, 0.4), 1e-6));
}

TEST_CASE("a variable without effect stays where it is") {
  const auto only_first = [](const VectorXd& x) { return VectorXd(Vector2d(x[0] - 5, 0)); };
  const LeastSquaresFit fit = minimize(problem_of(only_first), Vector2d(1, 7), exact);
  CHECK(fit.x[0] == Approx(5));
  CHECK(fit.x[1] == 7);
}

TEST_CASE("two variables that do the same share the way") {
  const auto sum = [](const VectorXd& x) { return VectorXd(Vector2d(x[0] + x[1] - 4, 0)); };
  const LeastSquaresFit fit = minimize(problem_of(sum), Vector2d(1, 2), exact);
  CHECK(fit.x[0] == Approx(1.5).epsilon(1e-3));
  CHECK(fit.x[1] == Approx(2.5).epsilon(1e-3));
}

TEST_CASE("no iteration takes a longer step than allowed") {
  LeastSquaresOptions options = exact;
  options.largest_step = 0.5;
  options.most_iterations = 1;
  const LeastSquaresFit fit = minimize(problem_of(lines), Vector2d(0, 0), options);
  CHECK(fit.x.lpNorm<Eigen::Infinity>() == Approx(0.5));
  CHECK_FALSE(fit.converged);
}

TEST_CASE("differences go down where up can't be evaluated, and nowhere where neither can") {
  LeastSquaresProblem problem = problem_of(lines);
  problem.allowed = [](const VectorXd& x) { return x[0] <= x[1]; };
  const VectorXd corner = Vector2d(1, 1);
  const ForwardDifferences differences(problem, corner, 0.1);
  CHECK(differences.steps.isApprox(Vector2d(-0.1, 0.1)));
  const auto jacobian = differences.jacobian(lines(corner), *problem.residuals(differences.points));
  CHECK(jacobian.isApprox((Eigen::Matrix2d() << 1, 1, 2, -2).finished(), 1e-9));

  problem.lower = problem.upper = corner;
  CHECK(ForwardDifferences(problem, corner, 0.1).steps.isZero());
}

TEST_CASE("a search that is given up returns the best so far") {
  LeastSquaresProblem problem = problem_of(lines);
  std::size_t evaluations_left = 5;  // the start, a Jacobian, a step, then half a Jacobian
  problem.residuals = [&, all = problem.residuals](const Vectors& points) {
    if (points.size() > evaluations_left) return std::optional<Vectors>();
    evaluations_left -= points.size();
    return all(points);
  };
  LeastSquaresOptions options = exact;
  options.largest_step = 0.5;
  const LeastSquaresFit fit = minimize(problem, Vector2d(0, 0), options);
  CHECK(fit.given_up);
  CHECK(fit.iterations == 1);
  CHECK(fit.x.lpNorm<Eigen::Infinity>() == Approx(0.5));
}

TEST_CASE("statistics of a fit, by hand") {
  FitEvidence evidence;
  evidence.residuals = Eigen::Vector4d(0.1, -0.1, 0.1, 0.1);
  evidence.jacobian.resize(4, 2);
  evidence.jacobian << 1, 0, 1, 1, 0, 1, 0, 0;
  evidence.noise = Eigen::Matrix2d::Zero();
  evidence.block_of_row = {0, 0, 1, 1};
  evidence.blocks = 2;
  const double t = 4.30265;              // of 2 degrees
  const double variance = 4 * 0.01 / 2;  // of the residuals

  SUBCASE("without noise") {
    const FitStatistics statistics = fit_statistics(evidence);
    // J'J = (2 1; 1 2), its inverse (2 -1; -1 2) / 3.
    CHECK(statistics.half_widths[0] == Approx(t * std::sqrt(variance * 2 / 3)));
    CHECK(statistics.correlation(0, 1) == Approx(-0.5));
    CHECK(statistics.singular_values.isApprox(Vector2d(std::sqrt(3), 1)));
    // The first column without its projection on the second: (1, 1/2, -1/2, 0).
    CHECK(statistics.shares(0, 0) == Approx(1.25 / 1.5));
    CHECK(statistics.shares(0, 1) == Approx(0.25 / 1.5));
    CHECK(statistics.identified == std::vector<bool>{true, true});
  }
  SUBCASE("with noise") {
    evidence.noise = Vector2d(0.7, 0.4).asDiagonal();
    const FitStatistics statistics = fit_statistics(evidence);
    // J'J - noise = (1.3 1; 1 1.6), its inverse (1.6 -1; -1 1.3) / 1.08.
    CHECK(statistics.half_widths[0] == Approx(t * std::sqrt(variance * 1.6 / 1.08)));
    CHECK(statistics.half_widths[1] == Approx(t * std::sqrt(variance * 1.3 / 1.08)));
    CHECK(statistics.correlation(0, 1) == Approx(-1 / std::sqrt(1.3 * 1.6)));
    // Each distinct part is one column less half the other, of squared norm 1.5. Noise makes it
    // 0.7 + 0.4 / 4 = 0.8 and 0.4 + 0.7 / 4 = 0.575.
    CHECK(statistics.identified == std::vector<bool>{false, true});
  }
  SUBCASE("with nothing but noise") {
    evidence.noise = Vector2d(0, 5).asDiagonal();
    evidence.jacobian << 1, 0, 1, 0, 0, 1, 0, 1;
    const FitStatistics statistics = fit_statistics(evidence);
    CHECK(statistics.half_widths[0] == Approx(t * std::sqrt(variance / 2)));
    CHECK(statistics.half_widths[1] == Approx(t * std::sqrt(variance / 2 * 10)));
    CHECK(statistics.identified == std::vector<bool>{true, false});
  }
}

TEST_CASE("parallel columns are fully correlated and identified by nothing") {
  FitEvidence evidence;
  evidence.residuals = Eigen::Vector3d(0.1, 0, -0.1);
  evidence.jacobian.resize(3, 2);
  evidence.jacobian << 1, 2, 2, 4, 3, 6;
  evidence.noise = Eigen::Matrix2d::Zero();
  evidence.block_of_row = {0, 0, 0};
  const FitStatistics statistics = fit_statistics(evidence);
  CHECK(statistics.correlation(0, 1) == Approx(-1));
  CHECK_FALSE(statistics.identified[0]);
  CHECK_FALSE(statistics.identified[1]);
  CHECK(std::isinf(statistics.half_widths[0]));
}

TEST_CASE("a variable without effect leaves the statistics of the others alone") {
  FitEvidence evidence;
  evidence.residuals = Eigen::Vector3d(0.1, 0, -0.1);
  evidence.jacobian.resize(3, 2);
  evidence.jacobian << 1, 0, 2, 0, 2, 0;
  evidence.noise = Eigen::Matrix2d::Zero();
  evidence.block_of_row = {0, 0, 0};
  const FitStatistics statistics = fit_statistics(evidence);
  CHECK(statistics.identified == std::vector<bool>{true, false});
  // Variance 0.02 / 1, squared norm 9, t of 1 degree.
  CHECK(statistics.half_widths[0] == Approx(12.7062 * std::sqrt(0.02 / 9)));
  CHECK(std::isinf(statistics.half_widths[1]));
  CHECK(statistics.correlation(0, 1) == Approx(0));
}
