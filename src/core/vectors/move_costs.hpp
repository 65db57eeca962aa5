#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/threads.hpp"
#include "base/types.hpp"
#include "prior/increments.hpp"
#include "search/moves.hpp"
#include "vectors/bounds.hpp"
#include "vectors/cluster_states.hpp"
#include "vectors/groups.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// What J gains or loses when points move: a score's own clusters, and the prior on their sizes.
template <class Score>
class VectorClusters {
 public:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  /// What a point gains by leaving its cluster, and what it would cost alone.
  struct Leaving {
    double gain;
    double alone_cost;
    bool alone;
    double noise;  ///< gains below it may be rounding
  };

  template <class... Parameters>
  VectorClusters(const PointsView& points, Label n_labels, const PriorParameters& prior,
                 Parameters&... parameters)
      : d_(points.dimensions),
        score_(points, parameters...),
        prior_(prior.concentration, prior.discount, prior.tradeoff, total(points)),
        screen_(points.dimensions, Score::outlines),
        screens_(points.count == nullptr && points.scatter == nullptr &&
                 (points.weight == nullptr || Score::outlines == Growth::sum)) {
    score_.grow(n_labels);
    size_.resize(n_labels, 0);
    changed_.resize(n_labels, 0);
  }

  Label n_labels() const { return static_cast<Label>(size_.size()); }
  bool is_empty(Label c) const { return size_[c] == 0; }
  Count changed(Label c) const { return changed_[c]; }
  Count moves() const { return moves_; }

  /// Takes groups of points for the clusters; by then sums have lost digits, or there are none.
  void set(const PointGroups& groups) {
    n_clusters_ = 0;
    empty_.clear();
    for (Label c = n_labels(); c-- > 0;) {
      score_.clear(c);
      size_[c] = groups.count[c];
      if (size_[c] == 0) {
        empty_.push_back(c);
      } else {
        score_.add(c, groups.moving(c));
        ++n_clusters_;
      }
    }
    if (!screens_) return;
    screen_.place(groups.mean, groups.weight);
    for (Label c = 0; c < n_labels(); ++c) outline(c);
  }

  /// Numbers that a state has.
  std::size_t state_width() const { return score_.state_width(); }

  ClusterStates save(std::vector<Label> labels) const {
    ClusterStates states{std::move(labels), {}, {}, {}};
    states.numbers.resize(states.label.size() * state_width());
    double* numbers = states.numbers.data();
    for (const Label c : states.label) {
      states.size.push_back(size_[c]);
      states.changed.push_back(changed_[c]);
      score_.save(c, numbers);
      numbers += state_width();
    }
    return states;
  }

  /// Takes clusters as they are elsewhere, where alone new ones are opened.
  void load(const ClusterStates& states) {
    take(states);
    for (const Label c : states.label) outline(c);
  }

  /// The same with all clusters.
  void set(const ClusterStates& states) {
    take(states);
    if (!screens_) return;
    std::vector<double> means, weights;
    for (Label c = 0; c < n_labels(); ++c) {
      const double* mean = score_.outline(c).mean;
      means.insert(means.end(), mean, mean + d_);
      weights.push_back(static_cast<double>(size_[c]));
    }
    screen_.place(means, weights);
    for (Label c = 0; c < n_labels(); ++c) outline(c);
  }

  /// Bounds of what clusters cost single points; null where points are groups.
  const Screen* screen() const { return screens_ ? &screen_ : nullptr; }

  Leaving leaving(Label own, const Moving& point, Count count) const {
    const bool alone = size_[own] == count;
    const double alone_cost = score_.found(point);
    const double gives_up = alone ? -alone_cost : score_.leave(own, point);
    return {gives_up + prior_.leave(size_[own], count, n_clusters_), alone_cost, alone,
            rounding * (std::abs(gives_up) + prior_.tradeoff())};
  }

  /// What it costs to join a cluster that is not empty, or some number that is not less than
  /// `bound` if it costs no less.
  double join(Label c, const Moving& point, Count count, double bound) const {
    const double seat = prior_.join(size_[c], count);
    return seat + score_.join(c, point, bound - seat);
  }

  /// What it costs to found a cluster.
  double found(const Leaving& leaving, Count count) const {
    return prior_.found(count, n_clusters_) + leaving.alone_cost;
  }

  /// Takes the place of an empty cluster, or a new one.
  Label open() {
    if (!empty_.empty()) {
      const Label label = empty_.back();
      empty_.pop_back();
      return label;
    }
    append();
    return n_labels() - 1;
  }

  void move(Label own, Label target, const Moving& point, Count count) {
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
    outline(own);
    outline(target);
  }

 private:
  void append() {
    size_.push_back(0);
    changed_.push_back(0);
    score_.grow(size_.size());
  }

  void take(const ClusterStates& states) {
    const double* numbers = states.numbers.data();
    for (std::size_t k = 0; k < states.label.size(); ++k, numbers += state_width()) {
      const Label c = states.label[k];
      while (c >= n_labels()) append();
      n_clusters_ += (states.size[k] > 0) - (size_[c] > 0);
      size_[c] = states.size[k];
      changed_[c] = states.changed[k];
      score_.load(c, numbers);
    }
  }

  void outline(Label c) {
    if (!screens_) return;
    if (size_[c] == 0) return screen_.hide(c);
    Outline outline = score_.outline(c);
    outline.base += prior_.join(size_[c], 1);
    screen_.set(c, outline);
  }

  static Count total(const PointsView& points) {
    Count sum = 0;
    for (Node i = 0; i < points.n; ++i) sum += points.count_of(i);
    return sum;
  }

  std::size_t d_;
  Score score_;
  Prior prior_;
  Screen screen_;
  bool screens_;
  std::vector<Count> size_;
  std::vector<Count> changed_;  ///< which move changed a cluster last
  std::vector<Label> empty_;
  Count n_clusters_ = 0;
  Count moves_ = 0;
};

}  // namespace powercut
