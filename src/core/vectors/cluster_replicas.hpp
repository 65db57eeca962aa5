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

/// A worker's replicas of the clusters of the process that makes the moves.
class ClusterReplicas {
 public:
  virtual ~ClusterReplicas() = default;
  virtual Label n_labels() const = 0;
  /// Numbers per cluster state.
  virtual std::size_t state_width() const = 0;
  virtual void set(const ClusterStates& all) = 0;
  virtual void load(const ClusterStates& changes) = 0;
  virtual void propose(const Visits& visits) = 0;
};

std::unique_ptr<ClusterReplicas> kmeans_replicas(const PointsView& points,
                                                 const PriorParameters& prior,
                                                 CancellationToken& token);
std::unique_ptr<ClusterReplicas> gaussian_replicas(const PointsView& points,
                                                   const PriorParameters& prior,
                                                   const GaussianParameters& gaussian,
                                                   CancellationToken& token);

}  // namespace powercut
