#include "futexsim/experiment/least_squares.hpp"

#include <Eigen/QR>
#include <cassert>
#include <cmath>

namespace futexsim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double first_damping = 1e-3;
constexpr double least_damping = 1e-6;
constexpr double damping_factor = 10;
constexpr int most_trials = 5;

/// Variables that a step may move: not those without effect, nor those at a bound beyond which
/// the gradient would take them.
std::vector<Index> free_variables(const LeastSquaresProblem& problem, const VectorXd& x,
                                  const MatrixXd& jacobian, const VectorXd& residuals) {
  const VectorXd gradient = jacobian.transpose() * residuals;
  std::vector<Index> out;
  for (Index k = 0; k < x.size(); ++k) {
    if (jacobian.col(k).isZero(0)) continue;
    const bool held = (x[k] <= problem.lower[k] && gradient[k] > 0) ||
                      (x[k] >= problem.upper[k] && gradient[k] < 0);
    if (!held) out.push_back(k);
  }
  return out;
}

/// Minimises |J step + residuals|² + damping |D step|², D the norms of J's columns, by QR: exact
/// where columns are nearly parallel. 0 for other variables than those given, whose columns must
/// not be zeros.
VectorXd damped_step(const MatrixXd& jacobian, const VectorXd& residuals, double damping,
                     const std::vector<Index>& variables) {
  if (variables.empty()) return VectorXd::Zero(jacobian.cols());
  const Index rows = jacobian.rows();
  const auto columns = static_cast<Index>(variables.size());
  MatrixXd system = MatrixXd::Zero(rows + columns, columns);
  VectorXd right = VectorXd::Zero(rows + columns);
  right.head(rows) = -residuals;
  for (Index i = 0; i < columns; ++i) {
    const auto column = jacobian.col(variables[static_cast<std::size_t>(i)]);
    system.col(i).head(rows) = column;
    system(rows + i, i) = std::sqrt(damping) * column.norm();
  }
  const VectorXd reduced = system.colPivHouseholderQr().solve(right);
  VectorXd step = VectorXd::Zero(jacobian.cols());
  for (Index i = 0; i < columns; ++i) step[variables[static_cast<std::size_t>(i)]] = reduced[i];
  return step;
}

class Search {
 public:
  Search(const LeastSquaresProblem& problem, const LeastSquaresOptions& options)
      : problem_(problem), options_(options) {}

  LeastSquaresFit run(const VectorXd& start) {
    fit_.x = start;
    const std::optional<VectorXd> first = evaluate(start);
    if (!first) return fit_;
    fit_.residuals = *first;
    while (fit_.iterations < options_.most_iterations && !fit_.converged && !fit_.given_up) {
      iterate();
    }
    return fit_;
  }

 private:
  std::optional<VectorXd> evaluate(const VectorXd& x) {
    std::optional<LeastSquaresProblem::Vectors> all = problem_.residuals({x});
    fit_.given_up = !all;
    return all ? std::optional(std::move(all->front())) : std::nullopt;
  }

  void iterate() {
    const ForwardDifferences differences(problem_, fit_.x, options_.difference);
    const auto around = problem_.residuals(differences.points);
    if (!around) {
      fit_.given_up = true;
      return;
    }
    ++fit_.iterations;
    const MatrixXd jacobian = differences.jacobian(fit_.residuals, *around);
    const std::vector<Index> variables = free_variables(problem_, fit_.x, jacobian, fit_.residuals);
    for (int trial = 0; trial < most_trials; ++trial) {
      VectorXd step = damped_step(jacobian, fit_.residuals, damping_, variables);
      const double longest = step.size() == 0 ? 0 : step.lpNorm<Eigen::Infinity>();
      if (longest > options_.largest_step) step *= options_.largest_step / longest;
      const VectorXd x = (fit_.x + step).cwiseMax(problem_.lower).cwiseMin(problem_.upper);
      if ((x - fit_.x).lpNorm<Eigen::Infinity>() <= options_.least_step) break;
      if (accept(x) || fit_.given_up) return;
      damping_ *= damping_factor;
    }
    fit_.converged = true;
  }

  /// Goes there if it is better.
  bool accept(const VectorXd& x) {
    if (!problem_.contains(x)) return false;
    const std::optional<VectorXd> residuals = evaluate(x);
    if (!residuals) return false;
    const double before = fit_.residuals.squaredNorm();
    const double gain = before - residuals->squaredNorm();
    if (!(gain > 0)) return false;
    fit_.x = x;
    fit_.residuals = *residuals;
    fit_.converged = gain < options_.least_gain * before;
    damping_ = std::max(least_damping, damping_ / damping_factor);
    return true;
  }

  const LeastSquaresProblem& problem_;
  const LeastSquaresOptions& options_;
  LeastSquaresFit fit_;
  double damping_ = first_damping;
};

}  // namespace

bool LeastSquaresProblem::contains(const VectorXd& point) const {
  return (point.array() >= lower.array()).all() && (point.array() <= upper.array()).all() &&
         (!allowed || allowed(point));
}

LeastSquaresFit minimize(const LeastSquaresProblem& problem, const VectorXd& start,
                         const LeastSquaresOptions& options) {
  assert(problem.contains(start));
  return Search(problem, options).run(start);
}

ForwardDifferences::ForwardDifferences(const LeastSquaresProblem& problem, const VectorXd& x,
                                       double step)
    : points(static_cast<std::size_t>(x.size()), x), steps(VectorXd::Zero(x.size())) {
  for (Index k = 0; k < x.size(); ++k) {
    VectorXd& point = points[static_cast<std::size_t>(k)];
    for (const double candidate : {step, -step}) {
      point[k] = x[k] + candidate;
      if (!problem.contains(point)) continue;
      steps[k] = candidate;
      break;
    }
    if (steps[k] == 0) point[k] = x[k];
  }
}

MatrixXd ForwardDifferences::jacobian(const VectorXd& at_x,
                                      const LeastSquaresProblem::Vectors& at_points) const {
  MatrixXd out = MatrixXd::Zero(at_x.size(), steps.size());
  for (Index k = 0; k < steps.size(); ++k) {
    if (steps[k] == 0) continue;
    out.col(k) = (at_points[static_cast<std::size_t>(k)] - at_x) / steps[k];
  }
  return out;
}

}  // namespace futexsim
