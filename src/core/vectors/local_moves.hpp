#pragma once

#include <cstdint>
#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "prior/increments.hpp"
#include "vectors/gaussian.hpp"
#include "vectors/points.hpp"
#include "vectors/remote_workers.hpp"

namespace powercut {

struct VectorMoveOptions {
  /// A pass in which a smaller part of the points moves is the last one; 0: until none gains.
  double negligible = 0;
  int n_threads = 1;
  std::uint64_t seed = 0;
  /// Looks at points in place of the threads, where that is worth it.
  PointsElsewhere* elsewhere = nullptr;
};

struct VectorMoveSummary {
  double gain;     ///< J after minus J before: never above zero
  Count moves;     ///< moves made, each of which lowered J
  Label n_labels;  ///< every label is below this; some may be empty
};

/// Lowers J = within sum of squares + tradeoff * regulariser by moving single
/// points to the best cluster of all, or into a new one, until no such move
/// lowers it further (Hartigan's moves: exact, the means follow at once).
/// Points are visited in one random order, again and again, block by block. For each point of a
/// block the best move is found against the clusters as they were before the block, by all
/// threads; then the moves are made one after the other, each only if it still lowers J. Blocks
/// depend on the number of points alone, so labels are the same for any number of threads.
///
/// A visit looks at a cluster again only if it changed since the last one, or if
/// what the point gains by leaving now exceeds what all others cost then.
VectorMoveSummary kmeans_moves(const PointsView& points, std::span<Label> labels, Label n_labels,
                               const PriorParameters& prior, const VectorMoveOptions& options,
                               Cancel& cancel);

/// The same for J = -ln marginal likelihood of Gaussian clusters + tradeoff * regulariser.
VectorMoveSummary gaussian_moves(const PointsView& points, std::span<Label> labels, Label n_labels,
                                 const PriorParameters& prior, const GaussianParameters& gaussian,
                                 const VectorMoveOptions& options, Cancel& cancel);

}  // namespace powercut
