#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace futexsim {

/// What a least-squares fit is known from: weighted residuals and their derivatives at the
/// optimum. Each row belongs to a block, such as a table.
struct FitEvidence {
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;  ///< a column for each variable
  /// What noise of the Jacobian is expected to add to J'J: the sum over rows of the covariances of
  /// its elements. 0 where there is none.
  Eigen::MatrixXd noise;
  std::vector<std::size_t> block_of_row;
  std::size_t blocks = 1;
};

/// How well the fit knows each variable. A variable's distinct part is its column of the Jacobian
/// without what a combination of the other columns can do as well.
struct FitStatistics {
  /// 95 %, from the covariance (J'J - noise)^-1 scaled by the residuals' variance, with Student's
  /// t of rows - variables degrees. Takes residuals for independent noise. Infinite without
  /// degrees, and where nothing is distinct. Noise takes at most nine tenths off J'J in any
  /// direction.
  Eigen::VectorXd half_widths;
  Eigen::MatrixXd correlation;      ///< of the variables' estimates
  Eigen::VectorXd singular_values;  ///< of the Jacobian, largest first
  /// Of each variable (row) and block (column): the part of its distinct part's squared norm.
  Eigen::MatrixXd shares;
  /// The squared norm of the distinct part is more than twice what noise alone would make it, and
  /// not lost in rounding.
  std::vector<bool> identified;
};

FitStatistics fit_statistics(const FitEvidence& evidence);

}  // namespace futexsim
