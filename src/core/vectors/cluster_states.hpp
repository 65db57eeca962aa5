#pragma once

#include <vector>

#include "base/types.hpp"

namespace powercut {

/// Some clusters as numbers, with which another process can go on.
struct ClusterStates {
  std::vector<Label> label;
  std::vector<Count> size;
  std::vector<Count> changed;   ///< which move changed it last
  std::vector<double> numbers;  ///< as the score saves them, one cluster after the other
};

}  // namespace powercut
