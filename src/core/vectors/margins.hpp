#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "prior/increments.hpp"
#include "vectors/gaussian.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// What J of Gaussian clusters rises by, for each point, if it moves to the best of the other
/// clusters: infinite where there is no other, negative where a move lowers J.
void gaussian_margins(const PointsView& points, std::span<const Label> labels, Label n_labels,
                      const PriorParameters& prior, const GaussianParameters& gaussian,
                      std::span<double> margin, int n_threads, Cancel& cancel);

}  // namespace powercut
