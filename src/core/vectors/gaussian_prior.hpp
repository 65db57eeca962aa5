#pragma once

#include <vector>

#include "base/cancellation.hpp"
#include "vectors/gaussian.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// The hyperprior, and the limits of the hyperparameters.
struct HyperPrior {
  double weight;            ///< in clusters
  const double* precision;  ///< the inverse of the total variance, in the form of the scale
  const double* floor;      ///< the smallest expected variance
  double least_kappa;
  double largest;  ///< pseudo-count of the prior, in points
};

/// Hyperparameters, and minus the log-likelihood of the clusters without the terms of the
/// hyperprior and of pi.
struct EstimatedPrior {
  std::vector<double> mean;
  double kappa;
  double shape;
  std::vector<double> scale;
  double cost;
};

/// One step towards the hyperparameters of largest marginal likelihood of these clusters.
///
/// Mean, kappa and scale each minimise the same tangent bound; the shape is then exact, to a
/// percent. The cost never rises.
EstimatedPrior improve_prior(const PointsView& clusters, const GaussianParameters& now,
                             const HyperPrior& hyper, CancellationToken& token);

}  // namespace powercut
