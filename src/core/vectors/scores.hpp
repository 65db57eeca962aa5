#pragma once

#include "vectors/gaussian.hpp"
#include "vectors/gaussian_diagonal.hpp"
#include "vectors/gaussian_full.hpp"
#include "vectors/gaussian_spherical.hpp"
#include "vectors/kmeans.hpp"

namespace powercut {

/// Calls run.operator()<Score>() for the score of a covariance.
template <class Run>
auto with_covariance(Covariance covariance, const Run& run) {
  if (covariance == Covariance::diagonal) return run.template operator()<DiagonalClusters>();
  if (covariance == Covariance::spherical) return run.template operator()<SphericalClusters>();
  return run.template operator()<FullClusters>();
}

}  // namespace powercut
