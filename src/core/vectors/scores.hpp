#pragma once

#include "vectors/gaussian.hpp"
#include "vectors/gaussian_diagonal.hpp"
#include "vectors/gaussian_full.hpp"
#include "vectors/gaussian_spherical.hpp"
#include "vectors/kmeans.hpp"

namespace powercut {

/// Calls run.operator()<Score>() with the score of a covariance.
///
/// A vector score is a class that keeps the state of each cluster and computes the exact change of
/// J when a point joins or leaves, with the mean already updated. `join` may stop once the cost is
/// known to be at least `bound`, and then returns any value of at least `bound`. All const members
/// are thread-safe. A group of points, with its scatter stored as `squares` says, is added like a
/// point. `bound` is a lower bound of the cost for points without scatter: change it together with
/// `join`, or moves are missed.
template <class Run>
auto with_covariance(Covariance covariance, const Run& run) {
  if (covariance == Covariance::diagonal) return run.template operator()<DiagonalClusters>();
  if (covariance == Covariance::spherical) return run.template operator()<SphericalClusters>();
  return run.template operator()<FullClusters>();
}

}  // namespace powercut
