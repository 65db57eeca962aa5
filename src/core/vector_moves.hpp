#pragma once

#include <cstdint>
#include <span>

#include "cancel.hpp"
#include "gaussian_scores.hpp"
#include "points.hpp"
#include "types.hpp"

namespace powercut {

/// The regulariser alone: the score of vectors is the kernel's own.
struct PriorParameters {
  double concentration;
  double discount;
  double tradeoff;
};

struct VectorMoveSummary {
  double gain;     ///< J after minus J before: never above zero
  Count moves;     ///< moves made, each of which lowered J
  Label n_labels;  ///< every label is below this; some may be empty
};

/// Lowers J = within sum of squares + tradeoff * regulariser by moving single
/// points to the best cluster of all, or into a new one, until no such move
/// lowers it further (Hartigan's moves: exact, the means follow at once).
/// Points are visited in one random order, again and again.
///
/// A visit looks at a cluster again only if it changed since the last one, or if
/// what the point gains by leaving now exceeds what all others cost then.
VectorMoveSummary kmeans_moves(const PointsView& points, std::span<Label> labels, Label n_labels,
                               const PriorParameters& prior, std::uint64_t seed, Cancel& cancel);

/// The same for J = -ln marginal likelihood of Gaussian clusters + tradeoff * regulariser.
VectorMoveSummary gaussian_moves(const PointsView& points, std::span<Label> labels, Label n_labels,
                                 const PriorParameters& prior, const GaussianParameters& gaussian,
                                 std::uint64_t seed, Cancel& cancel);

}  // namespace powercut
