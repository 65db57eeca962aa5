#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "prior/increments.hpp"
#include "search/conflicts.hpp"
#include "search/moves.hpp"
#include "vectors/bounds.hpp"
#include "vectors/groups.hpp"
#include "vectors/points.hpp"
#include "vectors/scored_clusters.hpp"
#include "vectors/visits.hpp"

namespace powercut {

/// Proposes moves of points against a frozen snapshot of the clusters, with several threads.
template <class Score>
class VectorProposer {
 public:
  template <class... Parameters>
  VectorProposer(const PointsView& points, Label n_labels, const PriorParameters& prior,
                 const ClusterConflicts& conflicts, int n_threads, CancellationToken& token,
                 Parameters&... parameters)
      : points_(points),
        ticker_(token),
        team_(threads(points, n_labels, n_threads)),
        clusters_(points, n_labels, prior, parameters...),
        conflicts_(conflicts),
        scratch_(team_.size()) {}

 protected:
  static constexpr double infinity = ScoredVectorClusters<Score>::infinity;

  /// A cluster other than the point's own, and the cost of joining it.
  struct Other {
    Label label;
    double cost;
  };

  WeightedPoint point_at(Node i, int thread) {
    return {points_.row(i, scratch_[thread].row), points_.weight_of(i), points_.scatter_of(i)};
  }

  /// Recomputes all clusters: running sums accumulate rounding errors.
  void refresh(std::span<const Label> labels) {
    PointGroups groups =
        point_groups(points_, labels, clusters_.n_labels(), Score::squares, team_, ticker_);
    if (points_.elsewhere != nullptr) add_groups(groups, *points_.elsewhere, Score::squares);
    clusters_.set(groups);
  }

  /// Calls body(thread, begin, end) for ranges of [0, n) of at most one tile.
  template <class Body>
  void for_tiles(std::int64_t n, const Body& body) {
    const std::int64_t each = (n + team_.size() - 1) / team_.size();
    const std::int64_t length = std::min<std::int64_t>(each, CostBounds::tile_length);
    team_.for_ranges(n, std::max<std::int64_t>(1, length),
                     [&](int thread, std::int64_t begin, std::int64_t end) {
                       body(thread, begin, end);
                       if (thread == 0) ticker_.tick((end - begin) * work_per_point());
                     });
  }

  /// Bounds the costs of all clusters for some points; `best_other` uses them.
  void evaluate_bounds(int thread, std::span<const Node> points) {
    if (const CostBounds* cost_bounds = clusters_.bounds()) {
      cost_bounds->evaluate(points_, points, scratch_[thread].tile);
    }
  }

  /// The cheapest other cluster that costs less than `cost`, and that point i may join; {own, cost}
  /// if there is none. The point has index `row` in the last call of `evaluate_bounds`.
  Other best_other(int thread, std::size_t row, Node i, const WeightedPoint& point, Label own,
                   double cost) {
    Other best{own, cost};
    const Count count = points_.count_of(i);
    const auto consider = [&](Label c) {
      const double joining = clusters_.join(c, point, count, best.cost);
      if (joining < best.cost) best = {c, joining};
    };
    const CostBounds* cost_bounds = clusters_.bounds();
    if (!clusters_.is_bounded(i)) {
      for (Label c = 0; c < clusters_.n_labels(); ++c) {
        if (c != own && !clusters_.is_empty(c) && allows(i, c)) consider(c);
      }
      return best;
    }
    const std::span<float> bounds = cost_bounds->row_bounds(scratch_[thread].tile, row);
    bounds[own] = std::numeric_limits<float>::infinity();
    if (conflicts_.concern(i)) {
      conflicts_.for_each_barred(
          i, [&](Label c) { bounds[c] = std::numeric_limits<float>::infinity(); });
    }
    const Label first = CostBounds::lowest(bounds, cost_bounds->in_units(cost));
    if (first < 0) return best;
    // The cluster with the lowest bound limits which others must be evaluated.
    const double limit =
        cost_bounds->in_units(std::min(cost, clusters_.join(first, point, count, cost)));
    CostBounds::for_each_within(bounds, limit, consider);
    return best;
  }

  /// Finds the best labels of at most one tile of points.
  void propose(int thread, const Visits& visits) {
    Leaving leaving[CostBounds::tile_length];
    bool scans[CostBounds::tile_length];
    Node scanned[CostBounds::tile_length];
    std::size_t n_scanned = 0;
    for (std::size_t k = 0; k < visits.points.size(); ++k) {
      const Node i = visits.points[k];
      leaving[k] = clusters_.leaving(visits.labels[k], point_at(i, thread), points_.count_of(i));
      const bool bounded = clusters_.is_bounded(i);
      scans[k] =
          !only_changed(leaving[k], visits.others[k]) || (bounded && many_changed(visits.seen[k]));
      if (scans[k] && bounded) scanned[n_scanned++] = i;
    }
    evaluate_bounds(thread, {scanned, n_scanned});
    Other others[CostBounds::tile_length];
    for (std::size_t k = 0; k < visits.points.size(); ++k) {
      const double most =
          only_changed(leaving[k], visits.others[k])
              ? visits.others[k]
              : -leaving[k].gain + resolved_margin(visits.points[k]) * std::abs(leaving[k].gain);
      others[k] = {visits.labels[k], most};
    }
    scan_together(thread, visits, scans, others);
    std::size_t row = 0;
    for (std::size_t k = 0; k < visits.points.size(); ++k) {
      const Node i = visits.points[k];
      const Label own = visits.labels[k];
      const WeightedPoint point = point_at(i, thread);
      Other& other = others[k];
      if (!scans[k]) {
        other = best_of_changed(i, point, own, visits.seen[k], other.cost);
      } else if (clusters_.is_bounded(i)) {
        other = best_other(thread, row++, i, point, own, other.cost);
      }
      visits.others[k] = other.cost;
      visits.targets[k] = target(leaving[k], other, own, points_.count_of(i));
    }
  }

  const PointsView& points_;
  Ticker ticker_;
  ThreadTeam team_;
  ScoredVectorClusters<Score> clusters_;
  ClusterConflicts conflicts_;

 private:
  using Leaving = typename ScoredVectorClusters<Score>::Leaving;

  /// Other clusters are searched up to this relative margin above what leaving gains. A small
  /// margin skips more clusters in this scan; a large one gives a better lower bound, which saves
  /// later scans. Groups of points are rarely scanned again.
  double resolved_margin(Node i) const { return points_.scatter_of(i) == nullptr ? 0.25 : 0; }

  /// Whether point i may join another cluster.
  bool allows(Node i, Label c) const { return !conflicts_.concern(i) || conflicts_.allow(i, c); }

  /// The number of clusters whose bounds take the time of one cost.
  static constexpr Count bounds_per_cost = 8;

  /// The least number of feature evaluations for which another thread pays off.
  static constexpr std::int64_t work_per_thread = 1 << 19;

  /// True if only clusters that changed since the last visit can lower J: no other cluster costs
  /// less than `others`.
  static bool only_changed(const Leaving& leaving, double others) {
    return leaving.gain + others >= -leaving.least;
  }

  /// True if bounds of all clusters take less time than the costs of the changed ones. The result
  /// is the same: unchanged clusters cost at least as much as was known before.
  bool many_changed(Count seen) const {
    return clusters_.n_changed_since(seen) * bounds_per_cost > clusters_.n_labels();
  }

  /// Finds the cheapest other cluster of each point that `scans` and has no bounds. Cluster by
  /// cluster, so that each is loaded from memory once.
  void scan_together(int thread, const Visits& visits, const bool* scans, Other* best) {
    std::vector<std::vector<double>>& rows = scratch_[thread].rows;
    rows.resize(CostBounds::tile_length);
    WeightedPoint points[CostBounds::tile_length];
    Count counts[CostBounds::tile_length];
    std::size_t each[CostBounds::tile_length], n = 0;
    for (std::size_t k = 0; k < visits.points.size(); ++k) {
      const Node i = visits.points[k];
      if (!scans[k] || clusters_.is_bounded(i)) continue;
      points[n] = {points_.row(i, rows[n]), points_.weight_of(i), points_.scatter_of(i)};
      counts[n] = points_.count_of(i);
      each[n++] = k;
    }
    if (n == 0) return;
    for (Label c = 0; c < clusters_.n_labels(); ++c) {
      if (clusters_.is_empty(c)) continue;
      for (std::size_t m = 0; m < n; ++m) {
        Other& other = best[each[m]];
        if (c == visits.labels[each[m]]) continue;
        const double cost = clusters_.join(c, points[m], counts[m], other.cost);
        if (cost < other.cost && allows(visits.points[each[m]], c)) other = {c, cost};
      }
    }
  }

  Other best_of_changed(Node i, const WeightedPoint& point, Label own, Count seen,
                        double others) const {
    Other best{own, others};
    const Count count = points_.count_of(i);
    for (Label c = 0; c < clusters_.n_labels(); ++c) {
      if (clusters_.changed(c) <= seen || c == own || clusters_.is_empty(c)) continue;
      const double cost = clusters_.join(c, point, count, best.cost);
      if (cost < best.cost && allows(i, c)) best = {c, cost};
    }
    return best;
  }

  Label target(const Leaving& leaving, const Other& other, Label own, Count count) const {
    const bool gains = leaving.gain + other.cost < -leaving.least;
    const double best = gains ? leaving.gain + other.cost : -leaving.least;
    const bool opens =
        !leaving.is_singleton && leaving.gain + clusters_.open_cost(leaving, count) < best;
    return opens ? new_cluster : gains ? other.label : own;
  }

  struct Scratch {
    std::vector<double> row;
    std::vector<std::vector<double>> rows;  ///< of the points that are scanned together
    CostBounds::Tile tile;
  };

  /// Assumes that about 8 features suffice to rule out a cluster.
  std::int64_t work_per_point() const { return 1 + 8 * std::int64_t{clusters_.n_labels()}; }

  static int threads(const PointsView& points, Label n_labels, int most) {
    const std::int64_t work = static_cast<std::int64_t>(points.n) * 8 * (1 + n_labels);
    return static_cast<int>(std::clamp<std::int64_t>(work / work_per_thread, 1, most));
  }

  std::vector<Scratch> scratch_;
};

}  // namespace powercut
