#pragma once

#include <cstddef>
#include <memory>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "prior/increments.hpp"
#include "vectors/cluster_states.hpp"
#include "vectors/gaussian.hpp"
#include "vectors/points.hpp"
#include "vectors/visits.hpp"

namespace powercut {

/// Clusters that follow those of another process, which makes the moves.
class ClusterCopies {
 public:
  virtual ~ClusterCopies() = default;
  virtual Label n_labels() const = 0;
  /// Numbers that a state has.
  virtual std::size_t state_width() const = 0;
  virtual void set(const ClusterStates& all) = 0;
  virtual void load(const ClusterStates& changes) = 0;
  virtual void propose(const Visits& visits) = 0;
};

std::unique_ptr<ClusterCopies> kmeans_copies(const PointsView& points, const PriorParameters& prior,
                                             Cancel& cancel);
std::unique_ptr<ClusterCopies> gaussian_copies(const PointsView& points,
                                               const PriorParameters& prior,
                                               const GaussianParameters& gaussian, Cancel& cancel);

}  // namespace powercut
