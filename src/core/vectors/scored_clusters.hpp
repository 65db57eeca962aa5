#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/threads.hpp"
#include "base/types.hpp"
#include "prior/increments.hpp"
#include "search/moves.hpp"
#include "vectors/bounds.hpp"
#include "vectors/groups.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// The clusters of a score, and the change of J (size prior included) when points move.
template <class Score>
class ScoredVectorClusters {
 public:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  /// The change of J when the point leaves its cluster, and its cost as a singleton.
  struct Leaving {
    double gain;
    double singleton_cost;
    bool is_singleton;
    double least;  ///< a move must lower J by more than this: inertia, and rounding errors
  };

  template <class... Parameters>
  ScoredVectorClusters(const PointsView& points, Label n_labels, const PriorParameters& prior,
                       Parameters&... parameters)
      : points_(points),
        d_(points.dimensions),
        score_(points, parameters...),
        prior_(prior.concentration, prior.discount, prior.tradeoff, points.total_count()),
        bounds_(points.dimensions, Score::bound_growth),
        uses_bounds_(any_bounded()) {
    score_.grow(n_labels);
    size_.resize(n_labels, 0);
    changed_.resize(n_labels, 0);
  }

  Label n_labels() const { return static_cast<Label>(size_.size()); }
  bool is_empty(Label c) const { return size_[c] == 0; }
  Count changed(Label c) const { return changed_[c]; }
  Count n_changed_since(Count move) const {
    return std::ranges::count_if(changed_, [=](Count last) { return last > move; });
  }
  Count moves() const { return moves_; }

  /// From now on, a move must lower J by more than this.
  void set_inertia(double inertia) { inertia_ = inertia; }

  /// Sets all clusters from groups of points: at the start, or to remove accumulated rounding
  /// errors.
  void set(const PointGroups& groups) {
    n_clusters_ = 0;
    empty_.clear();
    for (Label c = n_labels(); c-- > 0;) {
      score_.clear(c);
      size_[c] = groups.count[c];
      if (size_[c] == 0) {
        empty_.push_back(c);
      } else {
        score_.add(c, groups.as_point(c));
        ++n_clusters_;
      }
    }
    if (!uses_bounds_) return;
    bounds_.reset(groups.mean, groups.weight);
    for (Label c = 0; c < n_labels(); ++c) update_bound(c);
  }

  /// Lower bounds of the costs for single points; null if all points are groups.
  const CostBounds* bounds() const { return uses_bounds_ ? &bounds_ : nullptr; }

  /// Whether the bounds hold for point i.
  bool is_bounded(Node i) const {
    return points_.is_single(i) &&
           (Score::bound_growth == Growth::sum || points_.weight_of(i) == 1);
  }

  Leaving leaving(Label own, const WeightedPoint& point, Count count) const {
    const bool is_singleton = size_[own] == count;
    const double singleton_cost = score_.singleton_cost(point);
    const double score_change = is_singleton ? -singleton_cost : score_.leave(own, point);
    return {score_change + prior_.leave(size_[own], count, n_clusters_), singleton_cost,
            is_singleton, inertia_ + rounding * (std::abs(score_change) + prior_.tradeoff())};
  }

  /// The cost of joining a non-empty cluster. May stop once the cost is known to be at least
  /// `bound`, and then returns any value of at least `bound`.
  double join(Label c, const WeightedPoint& point, Count count, double bound) const {
    const double seat = prior_.join(size_[c], count);
    return seat + score_.join(c, point, bound - seat);
  }

  /// The cost of opening a new cluster.
  double open_cost(const Leaving& leaving, Count count) const {
    return prior_.open(count, n_clusters_) + leaving.singleton_cost;
  }

  /// Reuses an empty cluster, or adds one.
  Label open() {
    if (!empty_.empty()) {
      const Label label = empty_.back();
      empty_.pop_back();
      return label;
    }
    append();
    return n_labels() - 1;
  }

  void move(Label own, Label target, const WeightedPoint& point, Count count) {
    size_[own] -= count;
    if (size_[own] == 0) {
      score_.clear(own);
      empty_.push_back(own);
      --n_clusters_;
    } else {
      score_.remove(own, point);
    }
    if (size_[target] == 0) ++n_clusters_;
    size_[target] += count;
    score_.add(target, point);
    changed_[own] = changed_[target] = ++moves_;
    update_bound(own);
    update_bound(target);
  }

 private:
  bool any_bounded() const {
    for (Node i = 0; i < points_.n; ++i) {
      if (is_bounded(i)) return true;
    }
    return false;
  }

  void append() {
    size_.push_back(0);
    changed_.push_back(0);
    score_.grow(size_.size());
  }

  void update_bound(Label c) {
    if (!uses_bounds_) return;
    if (size_[c] == 0) return bounds_.remove(c);
    ClusterBound bound = score_.bound(c);
    bound.base += prior_.join(size_[c], 1);
    bounds_.set(c, bound);
  }

  const PointsView& points_;
  std::size_t d_;
  Score score_;
  Prior prior_;
  CostBounds bounds_;
  bool uses_bounds_;
  double inertia_ = 0;
  std::vector<Count> size_;
  std::vector<Count> changed_;  ///< number of the last move that changed a cluster
  std::vector<Label> empty_;
  Count n_clusters_ = 0;
  Count moves_ = 0;
};

}  // namespace powercut
