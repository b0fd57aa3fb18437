#include "futexsim/experiment/fit_statistics.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <limits>

#include "futexsim/engine/student_t.hpp"

namespace futexsim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Relative to columns of norm 1: what keeps the inverse finite where two are parallel.
constexpr double ridge = 1e-12;
constexpr double rounding = 1e-10;
constexpr double least_signal_to_noise = 2;

/// (J'J)^-1.
MatrixXd inverse_information(const MatrixXd& jacobian) {
  VectorXd norms = jacobian.colwise().norm().transpose();
  for (double& norm : norms) norm = norm > 0 ? norm : 1;
  const MatrixXd scaled = jacobian * norms.cwiseInverse().asDiagonal();
  const Index size = jacobian.cols();
  const MatrixXd information =
      scaled.transpose() * scaled + ridge * MatrixXd::Identity(size, size);
  const MatrixXd inverse = information.ldlt().solve(MatrixXd::Identity(size, size));
  return norms.cwiseInverse().asDiagonal() * inverse * norms.cwiseInverse().asDiagonal();
}

/// A column without its projection on the others.
VectorXd distinct_part(const MatrixXd& jacobian, Index variable) {
  const VectorXd column = jacobian.col(variable);
  if (jacobian.cols() == 1) return column;
  MatrixXd others(jacobian.rows(), jacobian.cols() - 1);
  others << jacobian.leftCols(variable), jacobian.rightCols(jacobian.cols() - 1 - variable);
  return column - others * others.colPivHouseholderQr().solve(column);
}

double factor_of_half_width(const FitEvidence& evidence) {
  const Index degrees = evidence.jacobian.rows() - evidence.jacobian.cols();
  if (degrees < 1) return std::numeric_limits<double>::infinity();
  const double variance = evidence.residuals.squaredNorm() / static_cast<double>(degrees);
  return std::sqrt(variance) * student_t_quantile(0.95, static_cast<std::uint64_t>(degrees));
}

}  // namespace

FitStatistics fit_statistics(const FitEvidence& evidence) {
  const MatrixXd& jacobian = evidence.jacobian;
  const Index variables = jacobian.cols();
  const MatrixXd covariance = inverse_information(jacobian);
  const VectorXd deviations = covariance.diagonal().cwiseSqrt();
  FitStatistics out;
  out.half_widths = factor_of_half_width(evidence) * deviations;
  out.correlation =
      deviations.cwiseInverse().asDiagonal() * covariance * deviations.cwiseInverse().asDiagonal();
  out.singular_values = Eigen::JacobiSVD<MatrixXd>(jacobian).singularValues();
  out.shares = MatrixXd::Zero(variables, static_cast<Index>(evidence.blocks));
  for (Index k = 0; k < variables; ++k) {
    const VectorXd part = distinct_part(jacobian, k);
    const double norm = part.squaredNorm();
    const double noise = evidence.jacobian_variance.col(k).sum();
    const bool above_rounding = part.norm() > rounding * jacobian.col(k).norm();
    out.identified.push_back(above_rounding && norm > least_signal_to_noise * noise);
    if (!above_rounding) continue;
    for (Index row = 0; row < jacobian.rows(); ++row) {
      const std::size_t block = evidence.block_of_row[static_cast<std::size_t>(row)];
      out.shares(k, static_cast<Index>(block)) += part[row] * part[row] / norm;
    }
  }
  return out;
}

}  // namespace futexsim
