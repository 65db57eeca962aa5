#pragma once

#include <limits>

#include "base/types.hpp"

namespace powercut {

/// The target of a node or a point that opens a new cluster.
constexpr Label new_cluster = -1;

/// The least and the greatest number of nodes in a cluster. No move makes a cluster that is not
/// within the limits; one that is not at the start may only come closer to them.
struct SizeLimits {
  Count smallest = 1;
  Count largest = std::numeric_limits<Count>::max();

  /// Whether so many of the nodes of a cluster may leave it: also all.
  bool may_leave(Count cluster, Count nodes) const {
    return nodes == cluster || cluster - nodes >= smallest;
  }
  bool may_join(Count cluster, Count nodes) const { return nodes <= largest - cluster; }
  bool may_open(Count nodes) const { return smallest <= nodes && nodes <= largest; }
};

/// A gain must exceed the rounding error of the terms being subtracted: otherwise moves without
/// gain could cycle.
constexpr double rounding = 1e-12;

/// Weights of very different magnitude can still cause cycles: the search stops after this many
/// visits per node or point, on average.
constexpr Count max_visits = 1000;

}  // namespace powercut
