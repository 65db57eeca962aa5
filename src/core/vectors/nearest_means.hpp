#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// What is known about the nearest mean of each point.
struct Nearest {
  std::span<Label> label;    ///< in: a guess; out: the nearest, the first of equals
  std::span<double> beyond;  ///< lower bound of the distance to all other means; 0: unknown
};

/// Finds the nearest of the means (rows of d numbers) of each point and its squared distance;
/// weights of points are ignored. A point that is closer to its guess than the lower bound `beyond`
/// is not compared with other means.
void nearest_means(const PointsView& points, std::span<const double> means, const Nearest& nearest,
                   std::span<double> squares, int n_threads, CancellationToken& token);

}  // namespace powercut
