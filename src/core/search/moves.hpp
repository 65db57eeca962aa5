#pragma once

#include "base/types.hpp"

namespace powercut {

/// The target of a node or a point that opens a new cluster.
constexpr Label new_cluster = -1;

/// A gain must exceed the rounding error of the terms being subtracted: otherwise moves without
/// gain could cycle.
constexpr double rounding = 1e-12;

/// Weights of very different magnitude can still cause cycles: the search stops after this many
/// visits per node or point, on average.
constexpr Count max_visits = 1000;

}  // namespace powercut
