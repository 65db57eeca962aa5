#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// What is known of the nearest mean of each point.
struct Nearest {
  std::span<Label> label;    ///< a guess, then the nearest, the first of equals
  std::span<double> beyond;  ///< no other mean is nearer than this; 0: nothing is known
};

/// Finds the nearest of some means, rows of d numbers, for each point, and the square of its
/// distance, whatever the points weigh. Points that are nearer to their guess than to what
/// is beyond are not compared with the others.
void nearest_means(const PointsView& points, std::span<const double> means, const Nearest& nearest,
                   std::span<double> squares, int n_threads, Cancel& cancel);

}  // namespace powercut
