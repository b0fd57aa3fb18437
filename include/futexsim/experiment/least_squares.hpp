#pragma once

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace futexsim {

/// The sum of squares of functions that are costly, a little noisy, and evaluated many at a time.
struct LeastSquaresProblem {
  using Vectors = std::vector<Eigen::VectorXd>;

  /// The functions at each of the points; nothing to give the search up.
  std::function<std::optional<Vectors>(const Vectors& points)> residuals;
  /// Can they be evaluated there? Asked within the bounds only; empty: everywhere.
  std::function<bool(const Eigen::VectorXd& point)> allowed;
  Eigen::VectorXd lower;  ///< -infinity where there is no bound
  Eigen::VectorXd upper;

  bool contains(const Eigen::VectorXd& point) const;
};

struct LeastSquaresOptions {
  double difference = 0.03;  ///< step of the numeric Jacobian
  int most_iterations = 10;
  double least_step = 1e-3;  ///< the search ends when no variable moves by more
  double least_gain = 1e-3;  ///< or when the sum of squares falls by a smaller part
  double largest_step = std::numeric_limits<double>::infinity();
};

struct LeastSquaresFit {
  Eigen::VectorXd x;          ///< the best point that was evaluated
  Eigen::VectorXd residuals;  ///< there; empty if the search was given up before the start's
  int iterations = 0;         ///< Jacobians from which a step was taken or refused
  bool converged = false;
  bool given_up = false;
};

/// Levenberg-Marquardt within a box, with steps damped in proportion to the Jacobian's columns
/// (Moré 1978) and variables at a bound held there while the gradient points outward. `start` must
/// be contained. A variable that no residual depends on stays where it is.
LeastSquaresFit minimize(const LeastSquaresProblem& problem, const Eigen::VectorXd& start,
                         const LeastSquaresOptions& options);

/// Where a Jacobian at x needs the residuals, a point for each variable: a step up, or down where
/// up isn't contained. A variable that can't move has a step of 0.
struct ForwardDifferences {
  LeastSquaresProblem::Vectors points;
  Eigen::VectorXd steps;

  ForwardDifferences(const LeastSquaresProblem& problem, const Eigen::VectorXd& x, double step);
  /// d residual / d variable. The column of a variable that can't move is 0.
  Eigen::MatrixXd jacobian(const Eigen::VectorXd& at_x,
                           const LeastSquaresProblem::Vectors& at_points) const;
};

}  // namespace futexsim
