#pragma once

#include <cstddef>

namespace powercut {

/// The growth of the variances of a cluster when a point, or a group of points, joins:
///
///     1 + q_j,    q_j = (factor (x_j - mean_j)^2 + scatter_j / 2) precision_j
struct VarianceGrowth {
  std::size_t d;
  const double* x;
  const double* mean;
  const double* scatter;  ///< null: 0
  const double* precision;
  double factor;
};

/// The sum of ln(1 + q_j), or infinity as soon as it is known to exceed `bound`. The result is the
/// same on every machine.
double log_growth(const VarianceGrowth& growth, double bound);

}  // namespace powercut
