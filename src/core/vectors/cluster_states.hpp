#pragma once

#include <vector>

#include "base/types.hpp"

namespace powercut {

/// The state of some clusters, as arrays that can be sent to another process.
struct ClusterStates {
  std::vector<Label> label;
  std::vector<Count> size;
  std::vector<Count> changed;   ///< number of the last move that changed the cluster
  std::vector<double> numbers;  ///< as saved by the score, cluster by cluster
};

}  // namespace powercut
