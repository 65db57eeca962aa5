#pragma once

#include <cmath>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/large_pages.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/neighborhood.hpp"
#include "graphs/objective.hpp"
#include "graphs/pulls.hpp"
#include "graphs/scores.hpp"
#include "prior/increments.hpp"
#include "search/moves.hpp"

namespace powercut {

inline ClusterStats with_node(const ClusterStats& c, const ClusterStats& node, double link) {
  return {c.inside + 2 * link + node.inside, c.volume + node.volume, c.weight + node.weight,
          c.count + node.count};
}

inline ClusterStats without_node(const ClusterStats& c, const ClusterStats& node, double link) {
  if (c.count == node.count) return {};
  return {c.inside - 2 * link - node.inside, c.volume - node.volume, c.weight - node.weight,
          c.count - node.count};
}

/// Says that no move of a node may be left out.
struct NoLimit {};

struct Move {
  Label target;
  double delta;
};

/// Clusters with their costs, and the change of J when a node moves between them.
template <class Score>
class ScoredGraphClusters {
 public:
  ScoredGraphClusters(const Score& score, const Objective& j, Clusters clusters,
                      const SizeLimits& limits = {}, double inertia = 0, bool reuses_labels = true)
      : score_(score),
        prior_(j.concentration, j.discount, j.tradeoff, total_count(clusters), j.prior_table),
        alone_(j.tradeoff * j.alone),
        limits_(limits),
        inertia_(inertia),
        reuses_labels_(reuses_labels),
        clusters_(std::move(clusters)) {
    if constexpr (keeps_costs) cost_.reserve(clusters_.size());
    for (const ClusterStats& c : clusters_) {
      if constexpr (keeps_costs) cost_.push_back(cost(c));
      n_clusters_ += c.count > 0;
    }
  }

  Label size() const { return static_cast<Label>(clusters_.size()); }

  /// J without the constant of the size prior; empty clusters are skipped.
  double value() const {
    double sum = 0;
    for (const ClusterStats& c : clusters_) sum += cost(c);
    return sum + prior_.of_sizes(clusters_, &ClusterStats::count);
  }

  /// The constant of the size prior.
  double constant() const { return prior_.constant(); }

  /// Starts to load the sums of a cluster into the cache.
  void prefetch(Label c) const {
    prefetch_memory(&clusters_[c]);
    if constexpr (keeps_costs) prefetch_memory(&cost_[c]);
  }

  const Clusters& all() const { return clusters_; }

  /// Replaces or takes out the clusters at the end; no move may follow.
  void set(Clusters clusters) { clusters_ = std::move(clusters); }
  Clusters take() { return std::move(clusters_); }

  /// Calls consider(target, delta, magnitude of the terms being subtracted) for each possible
  /// target within the limits of sizes: the clusters that the node is linked to and, unless it is a
  /// singleton, a new one. Clusters whose delta is certainly not below limit() may be left out.
  template <class Limit, class Consider>
  void for_each_move(const ClusterStats& node, Label own, double own_link,
                     std::span<const Neighborhood::Link> links, Limit&& limit,
                     Consider&& consider) const {
    if (!limits_.may_leave(clusters_[own].count, node.count)) return;
    const double leave = leaving(node, own, own_link);
    const double own_terms = terms(own);
    const auto consider_exactly = [&](const Neighborhood::Link& link) {
      consider(link.label, leave + joining(score_, node, link.label, link.weight),
               own_terms + std::abs(cost_of(link.label)));
    };
    const auto is_possible = [&](const Neighborhood::Link& link) {
      return link.label != own && limits_.may_join(clusters_[link.label].count, node.count);
    };
    constexpr bool is_bounded = has_bound && !std::is_same_v<std::invoke_result_t<Limit&>, NoLimit>;
    std::size_t at = 0;
    if constexpr (is_bounded) {
      // Four at a time: the bounds of two take one instruction, and those of others do not wait.
      constexpr std::size_t at_once = 4;
      const auto joined = [&](std::size_t i) {
        return with_node(clusters_[links[i].label], node, links[i].weight);
      };
      for (; at + at_once <= links.size(); at += at_once) {
        const DoublePair bounds[] = {score_.at_least(joined(at), joined(at + 1)),
                                     score_.at_least(joined(at + 2), joined(at + 3))};
        for (std::size_t i = 0; i < at_once; ++i) {
          const Neighborhood::Link& link = links[at + i];
          const double bound = leave + beside(link.label, node, bounds[i / 2][i % 2]);
          if (bound < limit() && is_possible(link)) consider_exactly(link);
        }
      }
    }
    for (; at < links.size(); ++at) {
      const Neighborhood::Link& link = links[at];
      if (!is_possible(link)) continue;
      if constexpr (is_bounded) {
        const auto bound = [&](const ClusterStats& c) { return score_.at_least(c); };
        if (leave + joining(bound, node, link.label, link.weight) >= limit()) continue;
      }
      consider_exactly(link);
    }
    if (clusters_[own].count != node.count && limits_.may_open(node.count)) {
      const double singleton = cost(node);
      consider(new_cluster, leave + singleton + prior_.open(node.count, n_clusters_),
               own_terms + std::abs(singleton));
    }
  }

  /// Adds links of weight 0 to the homes of a node without neighbors, which may join them.
  template <class Pull>
  void add_homes(const Pull& pull, Neighborhood& neighborhood) const {
    if (!neighborhood.links().empty()) return;
    for (const Label home : pull.homes()) {
      if (clusters_[home].count > 0) neighborhood.add(home, 0);
    }
  }

  /// The delta from which on a move is not better than one that changes J by `delta`. Not known if
  /// clusters attract the node, whose pulls add to it.
  static double limit_for(NoPull, double delta) { return delta; }
  static NoLimit limit_for(const NodePull&, double) { return {}; }

  /// The best move of a node to a target with allowed(target); on a tie it stays. The pull is
  /// `NoPull` or `NodePull`.
  template <class Allowed, class Pull>
  Move best_move(const ClusterStats& node, Label own, double own_link,
                 std::span<const Neighborhood::Link> links, Allowed&& allowed,
                 const Pull& pull) const {
    Move best{own, 0};
    const auto limit = [&] { return limit_for(pull, best.delta); };
    for_each_move(node, own, own_link, links, limit, [&](Label target, double delta, double terms) {
      if constexpr (!std::is_same_v<Pull, NoPull>) {
        const double change = pull.change(target);
        delta += change;
        terms += std::abs(change);
      }
      if (delta < best.delta && is_gain(delta, terms) && allowed(target)) best = {target, delta};
    });
    return best;
  }

  /// Whether a move lowers J in the current state, by more than the inertia, within the limits.
  /// `pull` is the change of J by the pulls of the node.
  bool gains(const ClusterStats& node, Label own, double own_link, Label target, double target_link,
             double pull) const {
    if (!limits_.may_leave(clusters_[own].count, node.count)) return false;
    if (target == new_cluster) {
      if (clusters_[own].count == node.count) return false;
      const double singleton = cost(node);
      const double delta =
          leaving(node, own, own_link) + singleton + prior_.open(node.count, n_clusters_);
      return is_gain(delta + pull, terms(own) + std::abs(singleton) + std::abs(pull));
    }
    if (!limits_.may_join(clusters_[target].count, node.count)) return false;
    const double delta = leaving(node, own, own_link) + joining(score_, node, target, target_link);
    return is_gain(delta + pull, terms(own) + std::abs(cost_of(target)) + std::abs(pull));
  }

  /// Moves a node and returns its new label.
  Label move(const ClusterStats& node, Label own, double own_link, Label target,
             double target_link) {
    if (target == new_cluster) target = open();
    set(own, without_node(clusters_[own], node, own_link));
    set(target, with_node(clusters_[target], node, target_link));
    return target;
  }

 private:
  /// Cheap costs are computed anew: with many clusters, reading them from memory takes longer.
  static constexpr bool keeps_costs = !Score::is_cheap;
  /// Whether a score has a bound that is faster: most candidates are far worse than the best.
  static constexpr bool has_bound = requires(const Score& s, const ClusterStats& c) {
    s.at_least(c);
  };

  /// Whether J falls by more than the inertia and the rounding error of the terms subtracted.
  bool is_gain(double delta, double magnitude) const {
    return delta < -(inertia_ + rounding * magnitude);
  }

  /// The score of a cluster, and what it costs a node to be alone.
  double cost(const ClusterStats& c) const {
    if (c.count > 1) return score_(c);
    return c.count == 1 ? score_(c) + alone_ : 0;
  }

  /// The cost of a cluster. Without branches: whether it is a singleton is unpredictable.
  double cost_of(Label c) const {
    if constexpr (keeps_costs) {
      return cost_[c];
    } else {
      return score_(clusters_[c]) + static_cast<double>(clusters_[c].count == 1) * alone_;
    }
  }

  double terms(Label own) const { return std::abs(cost_of(own)) + prior_.tradeoff(); }

  double leaving(const ClusterStats& node, Label own, double own_link) const {
    const ClusterStats& from = clusters_[own];
    return cost(without_node(from, node, own_link)) - cost_of(own) +
           prior_.leave(from.count, node.count, n_clusters_);
  }

  template <class OfCluster>
  double joining(const OfCluster& score, const ClusterStats& node, Label label, double link) const {
    return beside(label, node, score(with_node(clusters_[label], node, link)));
  }

  /// What a node adds to J in a cluster that has this score with it.
  double beside(Label label, const ClusterStats& node, double score) const {
    return score - cost_of(label) + prior_.join(clusters_[label].count, node.count);
  }

  void set(Label c, const ClusterStats& stats) {
    n_clusters_ += (stats.count > 0) - (clusters_[c].count > 0);
    if (stats.count == 0 && reuses_labels_) empty_.push_back(c);
    clusters_[c] = stats;
    if constexpr (keeps_costs) cost_[c] = cost(stats);
  }

  Label open() {
    while (!empty_.empty()) {
      const Label label = empty_.back();
      empty_.pop_back();
      if (clusters_[label].count == 0) return label;
    }
    clusters_.emplace_back();
    if constexpr (keeps_costs) cost_.push_back(0);
    return size() - 1;
  }

  static Count total_count(const Clusters& clusters) {
    return std::accumulate(clusters.begin(), clusters.end(), Count{0},
                           [](Count sum, const ClusterStats& c) { return sum + c.count; });
  }

  const Score score_;
  const Prior prior_;
  const double alone_;
  const SizeLimits limits_;
  const double inertia_;
  const bool reuses_labels_;  ///< not if labels that become empty mean something
  Clusters clusters_;
  LargeVector<double> cost_;  ///< empty if costs are not kept
  LargeVector<Label> empty_;  ///< labels of empty clusters, for reuse
  Count n_clusters_ = 0;
};

}  // namespace powercut
