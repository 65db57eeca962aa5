#pragma once

#include "base/types.hpp"

namespace powercut {

/// The target of a node or a point that opens a new cluster.
constexpr Label new_cluster = -1;

/// A gain must exceed the rounding error of the terms it is the difference of: otherwise moves
/// without gain could cycle.
constexpr double rounding = 1e-12;

/// Weights of very different magnitude can still cause cycles: so many visits per node or point, on
/// average, end the search.
constexpr Count max_visits = 1000;

}  // namespace powercut
