#pragma once

#include <vector>

#include "base/cancellation.hpp"
#include "vectors/gaussian.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// Minus the log marginal likelihood of each cluster; clusters are given as points with scatter.
std::vector<double> gaussian_costs(const PointsView& clusters, const GaussianParameters& prior,
                                   CancellationToken& token);

}  // namespace powercut
