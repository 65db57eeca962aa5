#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "prior/increments.hpp"
#include "vectors/gaussian.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// The change of J of Gaussian clusters, for each point, if it makes its best move to another
/// existing cluster: negative if that lowers J, infinite if there is no other cluster.
void gaussian_margins(const PointsView& points, std::span<const Label> labels, Label n_labels,
                      const PriorParameters& prior, const GaussianParameters& gaussian,
                      std::span<double> margin, int n_threads, CancellationToken& token);

}  // namespace powercut
