#pragma once

#include "vectors/cluster_states.hpp"
#include "vectors/visits.hpp"

namespace powercut {

/// Remote workers that evaluate points and propose moves. They keep replicas of the clusters, which
/// are updated by sending the changes; moves are made by the caller.
class RemoteVectorWorkers {
 public:
  virtual ~RemoteVectorWorkers() = default;
  /// Batches with fewer points * clusters * features are computed locally: a request would cost
  /// more.
  virtual double min_products() const = 0;
  virtual void begin(const ClusterStates& all) = 0;
  virtual void propose(const Visits& visits, const ClusterStates& changes) = 0;
};

}  // namespace powercut
