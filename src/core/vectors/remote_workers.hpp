#pragma once

#include "vectors/cluster_states.hpp"
#include "vectors/visits.hpp"

namespace powercut {

/// Who looks at points where the one that makes the moves does not: it keeps clusters of its own,
/// which it is told the changes of.
class PointsElsewhere {
 public:
  virtual ~PointsElsewhere() = default;
  /// A block of fewer points times clusters times features is not worth asking for.
  virtual double least_products() const = 0;
  virtual void begin(const ClusterStates& all) = 0;
  virtual void propose(const Visits& visits, const ClusterStates& changes) = 0;
};

}  // namespace powercut
