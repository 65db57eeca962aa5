#pragma once

#include <cstdint>
#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "prior/increments.hpp"
#include "search/conflicts.hpp"
#include "vectors/gaussian.hpp"
#include "vectors/points.hpp"

namespace powercut {

struct VectorMoveOptions {
  /// The search ends after a pass in which less than this fraction of the points moved; 0: when no
  /// move lowers J.
  double negligible = 0;
  int n_threads = 1;
  std::uint64_t seed = 0;
  /// The points that may move; null: all.
  const bool* visited = nullptr;
  /// A move must lower J by more than this.
  double inertia = 0;
  /// No initial cluster may hold conflicting points; then none ever does.
  Conflicts conflicts = {};
};

struct VectorMoveSummary {
  double gain;     ///< J after minus J before; at most 0
  Count moves;     ///< moves made, each of which lowered J
  Label n_labels;  ///< labels are below this; some may be unused
};

/// Lowers J = sum of squares within clusters + tradeoff * size prior by moving single points to the
/// best of all clusters, or to a new one, until no such move lowers J (Hartigan's method: deltas
/// are exact, means are updated at once).
///
/// Points are visited batch by batch, repeatedly in the same random order. *Propose*: all threads
/// find the best move of each point of a batch against the clusters before the batch. *Commit*: the
/// moves are made one by one, each only if it still lowers J. Batches depend on the number of
/// visited points alone, so the labels are the same for any number of threads.
///
/// A visit evaluates a cluster again only if it has changed since the last visit, or if leaving now
/// gains more than the lower bound of the other clusters' costs at that time.
VectorMoveSummary kmeans_moves(const PointsView& points, std::span<Label> labels, Label n_labels,
                               const PriorParameters& prior, const VectorMoveOptions& options,
                               CancellationToken& token);

/// The same for J = -ln marginal likelihood of Gaussian clusters + tradeoff * size prior.
VectorMoveSummary gaussian_moves(const PointsView& points, std::span<Label> labels, Label n_labels,
                                 const PriorParameters& prior, const GaussianParameters& gaussian,
                                 const VectorMoveOptions& options, CancellationToken& token);

}  // namespace powercut
