#pragma once

#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "prior/increments.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// Algorithm 1 of "Power-Law Graph Cuts", exactly as published: within a pass the means are fixed
/// while the sizes change; the mean of a new cluster is the point that opened it; the only member
/// of a cluster is at distance 0 from it.
///
/// This and `lloyd_kernel` read and write `labels`, which must fill [0, n_labels), and return J
/// (without the constant of the size prior) before the first pass and after each. They end when a
/// pass changes nothing, or after max_passes. Each row is one point: `count` must be null.
std::vector<double> lloyd_points(const PointsView& points, std::span<Label> labels, Label n_labels,
                                 const PriorParameters& prior, int max_passes,
                                 CancellationToken& token);

}  // namespace powercut
