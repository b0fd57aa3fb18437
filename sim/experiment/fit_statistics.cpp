#include "futexsim/experiment/fit_statistics.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
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
constexpr double least_part_kept = 0.1;

/// (J'J - noise)^-1, of the columns scaled to norm 1 and back.
MatrixXd inverse_information(const FitEvidence& evidence) {
  VectorXd norms = evidence.jacobian.colwise().norm().transpose();
  for (double& norm : norms) norm = norm > 0 ? norm : 1;
  const auto unscale = norms.cwiseInverse().asDiagonal();
  const MatrixXd scaled = evidence.jacobian * unscale;
  const MatrixXd raw = scaled.transpose() * scaled;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(raw - unscale * evidence.noise * unscale);
  VectorXd values = eigen.eigenvalues();
  for (Index k = 0; k < values.size(); ++k) {
    const VectorXd direction = eigen.eigenvectors().col(k);
    values[k] = std::max({values[k], least_part_kept * direction.dot(raw * direction), ridge});
  }
  const MatrixXd inverse =
      eigen.eigenvectors() * values.cwiseInverse().asDiagonal() * eigen.eigenvectors().transpose();
  return unscale * inverse * unscale;
}

/// The combination of columns that leaves of one what the others can't do: 1 for itself.
VectorXd distinct_combination(const MatrixXd& jacobian, Index variable) {
  MatrixXd others = jacobian;
  others.col(variable).setZero();
  VectorXd out = VectorXd::Zero(jacobian.cols());
  if (!others.isZero(0)) out = -others.colPivHouseholderQr().solve(jacobian.col(variable));
  out[variable] = 1;
  return out;
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
  const MatrixXd covariance = inverse_information(evidence);
  const VectorXd deviations = covariance.diagonal().cwiseSqrt();
  FitStatistics out;
  out.half_widths = factor_of_half_width(evidence) * deviations;
  out.correlation =
      deviations.cwiseInverse().asDiagonal() * covariance * deviations.cwiseInverse().asDiagonal();
  out.singular_values = Eigen::JacobiSVD<MatrixXd>(jacobian).singularValues();
  out.shares = MatrixXd::Zero(variables, static_cast<Index>(evidence.blocks));
  for (Index k = 0; k < variables; ++k) {
    const VectorXd combination = distinct_combination(jacobian, k);
    const VectorXd part = jacobian * combination;
    const double norm = part.squaredNorm();
    const double noise = combination.dot(evidence.noise * combination);
    const bool above_rounding = part.norm() > rounding * jacobian.col(k).norm();
    out.identified.push_back(above_rounding && norm > least_signal_to_noise * noise);
    if (!above_rounding) {
      out.half_widths[k] = std::numeric_limits<double>::infinity();
      continue;
    }
    for (Index row = 0; row < jacobian.rows(); ++row) {
      const std::size_t block = evidence.block_of_row[static_cast<std::size_t>(row)];
      out.shares(k, static_cast<Index>(block)) += part[row] * part[row] / norm;
    }
  }
  return out;
}

}  // namespace futexsim
