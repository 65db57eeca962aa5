#pragma once

#include "base/types.hpp"

namespace powercut {

/// The target of a node or a point that founds a cluster.
constexpr Label new_cluster = -1;

/// A gain must exceed the rounding of the terms it is the difference of, or moves
/// that gain nothing could go round in circles.
constexpr double rounding = 1e-12;

/// Weights of very different size can still lead to such moves: that many visits of each node
/// or point, on average, end them.
constexpr Count max_visits = 1000;

}  // namespace powercut
