#pragma once

#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "prior/increments.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// Algorithm 1 of "Power-Law Graph Cuts", to the letter: within a pass the means
/// stay and the sizes are live; a new cluster has its mean at the point that
/// founds it; the only member of a cluster is at distance 0 from it.
///
/// Both forms read and write `labels`, which must fill [0, n_labels), and return J
/// (without the regulariser's constant) before the first pass and after each.
/// They end when a pass changes nothing, or after max_passes. Every point counts for
/// one: `count` of the points must be null.
std::vector<double> lloyd_points(const PointsView& points, std::span<Label> labels, Label n_labels,
                                 const PriorParameters& prior, int max_passes, Cancel& cancel);

}  // namespace powercut
