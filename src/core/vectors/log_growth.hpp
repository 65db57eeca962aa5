#pragma once

#include <cstddef>
#include <span>

#include "base/cancellation.hpp"

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

/// Clusters that single points join, as in `VarianceGrowth`: one row of `mean` and of `precision`,
/// and one factor, for each.
struct GrowingClusters {
  std::size_t d;
  std::span<const double> factor;
  const double* mean;
  const double* precision;
};

/// Sets the log growth of each cluster, in one row of `growth` for each of the n rows of `x`.
void log_growths(const GrowingClusters& clusters, const double* x, std::size_t n, double* growth,
                 Ticker& ticker);

}  // namespace powercut
