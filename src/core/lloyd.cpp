#include "lloyd.hpp"

#include <algorithm>
#include <limits>

#include "prior.hpp"

namespace powercut {
namespace {

/// Sizes that change during a pass, and what they add to a distance.
class LiveSizes {
 public:
  LiveSizes(const PriorParameters& prior, Count total)
      : prior_(prior.concentration, prior.discount, prior.tradeoff, total) {}

  void count(std::span<const Label> labels, Label n_labels) {
    sizes_.assign(n_labels, 0);
    for (const Label c : labels) ++sizes_[c];
    clusters_ = static_cast<Count>(n_labels) - std::ranges::count(sizes_, Count{0});
    largest_ = labels.empty() ? 0 : *std::ranges::max_element(sizes_);
  }

  Label n_labels() const { return static_cast<Label>(sizes_.size()); }
  Count operator[](Label c) const { return sizes_[c]; }
  double leave(Label c) const { return prior_.leave(sizes_[c], 1, clusters_); }
  double join(Label c) const { return prior_.join(sizes_[c], 1); }
  double found() const { return prior_.found(1, clusters_); }
  /// No cluster adds less than this when a point joins it.
  double best_join() const { return prior_.join(std::max<Count>(largest_, 1), 1); }
  double value() const { return prior_.of_sizes(sizes_); }
  double constant() const { return prior_.constant(); }

  void move(Label from, Label to) {
    if (to == n_labels()) sizes_.push_back(0);
    clusters_ += (sizes_[to] == 0) - (sizes_[from] == 1);
    --sizes_[from];
    largest_ = std::max(largest_, ++sizes_[to]);
  }

 private:
  Prior prior_;
  std::vector<Count> sizes_;
  Count clusters_ = 0;
  Count largest_ = 0;
};

/// Gives the labels in use the numbers 0, 1, ... in the order of their first member.
Label compact(std::span<Label> labels, Label n_labels) {
  std::vector<Label> renamed(n_labels, -1);
  Label next = 0;
  for (Label& c : labels) {
    if (renamed[c] < 0) renamed[c] = next++;
    c = renamed[c];
  }
  return next;
}

/// Passes of Algorithm 1 over a Space, which knows where the means are.
template <class Space>
std::vector<double> passes(Space& space, std::span<Label> labels, Label n_labels,
                           const PriorParameters& prior, int max_passes, Cancel& cancel) {
  LiveSizes sizes(prior, static_cast<Count>(labels.size()));
  const auto refit = [&] {
    sizes.count(labels, n_labels);
    return space.update_means(labels, n_labels) + sizes.value();
  };
  std::vector<double> path{refit()};
  Count moves = 0;
  for (int pass = 0; pass < max_passes; ++pass) {
    const double j = path.back() + sizes.constant();
    cancel.hear({static_cast<Node>(labels.size()), pass, moves, j});
    const Count moves_before = moves;
    for (Node i = 0; i < static_cast<Node>(labels.size()); ++i) {
      if (!space.can_move(i)) continue;
      const Label own = labels[i];
      const bool only = sizes[own] == 1;
      space.approach(i);
      // Distances are relative to staying, so leaving adds what the sizes lose by it.
      const double leave = sizes.leave(own);
      double best = only ? 0 : space.distance(i, own);
      Label target = own;
      space.for_candidates(i, sizes, leave, best, [&](Label c) {
        if (c == own || sizes[c] == 0) return;
        const double d = space.distance(i, c) + leave + sizes.join(c);
        if (d < best) {
          best = d;
          target = c;
        }
      });
      if (!only && leave + sizes.found() < best) {
        target = sizes.n_labels();
        space.open_cluster(i);
      }
      if (target == own) continue;
      sizes.move(own, target);
      labels[i] = target;
      ++moves;
    }
    if (moves == moves_before) break;
    n_labels = compact(labels, sizes.n_labels());
    path.push_back(refit());
  }
  return path;
}

class PointSpace {
 public:
  PointSpace(const PointsView& points, Cancel& cancel)
      : points_(points), d_(points.dimensions), ticker_(cancel) {}

  double update_means(std::span<const Label> labels, Label n_labels) {
    mean_.assign(n_labels * d_, 0);
    std::vector<double> weight(n_labels, 0);
    for (Node i = 0; i < points_.n; ++i) {
      const double* x = points_.row(i, buffer_);
      const double w = points_.weight_of(i);
      double* m = mean_.data() + labels[i] * d_;
      weight[labels[i]] += w;
      for (std::size_t j = 0; j < d_; ++j) m[j] += w * (x[j] - m[j]) / weight[labels[i]];
    }
    double within = 0;
    for (Node i = 0; i < points_.n; ++i) {
      const double* x = points_.row(i, buffer_);
      within += points_.weight_of(i) * squared_distance(x, mean_.data() + labels[i] * d_, d_);
      ticker_.tick(2 * points_.dimensions);
    }
    return within;
  }

  bool can_move(Node) const { return true; }
  void approach(Node i) { x_ = points_.row(i, buffer_); }
  double distance(Node i, Label c) const {
    return points_.weight_of(i) * squared_distance(x_, mean_.data() + c * d_, d_);
  }
  template <class Consider>
  void for_candidates(Node, const LiveSizes& sizes, double, const double&, Consider&& consider) {
    const Label n_labels = sizes.n_labels();
    for (Label c = 0; c < n_labels; ++c) consider(c);
    ticker_.tick(static_cast<std::int64_t>(n_labels) * points_.dimensions);
  }
  void open_cluster(Node) { mean_.insert(mean_.end(), x_, x_ + d_); }

 private:
  const PointsView& points_;
  std::size_t d_;
  Ticker ticker_;
  std::vector<double> mean_;
  std::vector<double> buffer_;
  const double* x_ = nullptr;
};

/// w_i |phi_i - mu_c|^2 = M_ii / w_i - 2 M_ic / W_c + w_i M_cc / W_c^2, where M_ic is
/// the sum of row i of M over the nodes that the mean of c is made of: its members
/// at the start of the pass, or the node that founded it during the pass.
class KernelSpace {
 public:
  KernelSpace(const GraphView& graph, std::span<const double> diagonal,
              std::span<const double> weight, Cancel& cancel)
      : graph_(graph),
        diagonal_(diagonal),
        weight_(weight),
        ticker_(cancel),
        self_(graph.rows()),
        founded_(graph.rows(), -1) {
    for (Node i = 0; i < graph.rows(); ++i) {
      self_[i] = diagonal[i];
      graph.for_each(i, [&](Node j, double w) { self_[i] += i == j ? w : 0; });
    }
  }

  double update_means(std::span<const Label> labels, Label n_labels) {
    member_of_.assign(labels.begin(), labels.end());
    std::ranges::fill(founded_, -1);
    cluster_weight_.assign(n_labels, 0);
    std::vector<double> inside(n_labels, 0);
    double trace = 0;
    for (Node i = 0; i < graph_.rows(); ++i) {
      const Label own = labels[i];
      cluster_weight_[own] += weight_[i];
      inside[own] += diagonal_[i];
      if (weight_[i] > 0) trace += self_[i] / weight_[i];
      graph_.for_each(i, [&](Node j, double w) { inside[own] += labels[j] == own ? w : 0; });
      ticker_.tick(1 + graph_.length(i));
    }
    square_.assign(n_labels, 0);
    smallest_square_ = std::numeric_limits<double>::infinity();
    double value = trace;
    for (Label c = 0; c < n_labels; ++c) {
      if (cluster_weight_[c] <= 0) continue;
      value -= inside[c] / cluster_weight_[c];
      square_[c] = inside[c] / (cluster_weight_[c] * cluster_weight_[c]);
      smallest_square_ = std::min(smallest_square_, square_[c]);
    }
    return value;
  }

  bool can_move(Node i) const { return weight_[i] > 0; }

  void approach(Node i) {
    for (const Label c : touched_) link_[c] = 0;
    touched_.clear();
    link_.resize(square_.size(), 0);
    is_touched_.resize(square_.size(), 0);
    add_link(member_of_[i], diagonal_[i]);
    graph_.for_each(i, [&](Node j, double w) {
      add_link(member_of_[j], w);
      if (founded_[j] >= 0) add_link(founded_[j], w);
    });
    for (const Label c : touched_) is_touched_[c] = 0;
    ticker_.tick(1 + graph_.length(i));
  }

  double distance(Node i, Label c) const {
    if (cluster_weight_[c] <= 0) return std::numeric_limits<double>::infinity();
    return self_[i] / weight_[i] - 2 * link_[c] / cluster_weight_[c] + weight_[i] * square_[c];
  }

  /// Every cluster is a candidate, also those that no edge leads to. They all cost
  /// at least as much as the cheapest mean with the largest size would, and only
  /// where even that would win are they looked at one by one. `best` follows what
  /// has been considered.
  template <class Consider>
  void for_candidates(Node i, const LiveSizes& sizes, double leave, const double& best,
                      Consider&& consider) {
    for (const Label c : touched_) consider(c);
    const double nearest = self_[i] / weight_[i] + weight_[i] * smallest_square_;
    if (nearest + leave + sizes.best_join() >= best) return;
    for (Label c = 0; c < sizes.n_labels(); ++c) consider(c);
    ticker_.tick(sizes.n_labels());
  }

  void open_cluster(Node i) {
    founded_[i] = static_cast<Label>(square_.size());
    cluster_weight_.push_back(weight_[i]);
    square_.push_back(self_[i] / (weight_[i] * weight_[i]));
    smallest_square_ = std::min(smallest_square_, square_.back());
  }

 private:
  void add_link(Label c, double w) {
    if (!is_touched_[c]) {
      is_touched_[c] = 1;
      touched_.push_back(c);
    }
    link_[c] += w;
  }

  const GraphView& graph_;
  std::span<const double> diagonal_;
  std::span<const double> weight_;
  Ticker ticker_;
  std::vector<double> self_;            // M_ii
  std::vector<Label> member_of_;        // the cluster whose mean a node is part of
  std::vector<Label> founded_;          // the cluster that a node founded in this pass, or -1
  std::vector<double> cluster_weight_;  // W_c of the mean
  std::vector<double> square_;          // M_cc / W_c^2 of the mean
  double smallest_square_ = 0;
  std::vector<double> link_;            // M_ic of the node under work
  std::vector<char> is_touched_;
  std::vector<Label> touched_;
};

}  // namespace

std::vector<double> lloyd_points(const PointsView& points, std::span<Label> labels, Label n_labels,
                                 const PriorParameters& prior, int max_passes, Cancel& cancel) {
  PointSpace space(points, cancel);
  return passes(space, labels, n_labels, prior, max_passes, cancel);
}

std::vector<double> lloyd_kernel(const GraphView& graph, std::span<const double> diagonal,
                                 std::span<const double> weight, std::span<Label> labels,
                                 Label n_labels, const PriorParameters& prior, int max_passes,
                                 Cancel& cancel) {
  KernelSpace space(graph, diagonal, weight, cancel);
  return passes(space, labels, n_labels, prior, max_passes, cancel);
}

}  // namespace powercut
