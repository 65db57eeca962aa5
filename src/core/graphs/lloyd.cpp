#include "graphs/lloyd.hpp"

#include <algorithm>
#include <limits>

#include "search/lloyd_passes.hpp"

namespace powercut {
namespace {

/// Distances in kernel space:
///
///     w_i |phi_i - mu_c|^2 = M_ii / w_i - 2 M_ic / W_c + w_i M_cc / W_c^2
///
/// M_ic is the sum of row i of M over the nodes that define the mean of c: its members at the start
/// of the pass, or the node that opened it during the pass.
class KernelSpace {
 public:
  KernelSpace(const GraphView& graph, std::span<const double> diagonal,
              std::span<const double> weight, CancellationToken& token)
      : graph_(graph),
        diagonal_(diagonal),
        weight_(weight),
        ticker_(token),
        self_(graph.rows()),
        opened_(graph.rows(), -1) {
    for (Node i = 0; i < graph.rows(); ++i) {
      self_[i] = diagonal[i];
      graph.for_each(i, [&](Node j, double w) { self_[i] += i == j ? w : 0; });
    }
  }

  double update_means(std::span<const Label> labels, Label n_labels) {
    member_of_.assign(labels.begin(), labels.end());
    std::ranges::fill(opened_, -1);
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

  void set_point(Node i) {
    for (const Label c : touched_) link_[c] = 0;
    touched_.clear();
    link_.resize(square_.size(), 0);
    is_touched_.resize(square_.size(), 0);
    add_link(member_of_[i], diagonal_[i]);
    graph_.for_each(i, [&](Node j, double w) {
      add_link(member_of_[j], w);
      if (opened_[j] >= 0) add_link(opened_[j], w);
    });
    for (const Label c : touched_) is_touched_[c] = 0;
    ticker_.tick(1 + graph_.length(i));
  }

  double distance(Node i, Label c) const {
    if (cluster_weight_[c] <= 0) return std::numeric_limits<double>::infinity();
    return self_[i] / weight_[i] - 2 * link_[c] / cluster_weight_[c] + weight_[i] * square_[c];
  }

  /// Every cluster is a candidate, including those without an edge to the node. Their costs have a
  /// common lower bound (the smallest mean, the largest size), and only if it is below `best`,
  /// which follows what has been considered, are they computed one by one.
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
    opened_[i] = static_cast<Label>(square_.size());
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
  std::vector<Label> member_of_;        // cluster whose mean a node contributes to
  std::vector<Label> opened_;           // cluster that a node opened in this pass, or -1
  std::vector<double> cluster_weight_;  // W_c
  std::vector<double> square_;          // M_cc / W_c^2
  double smallest_square_ = 0;
  std::vector<double> link_;  // M_ic of the current node
  std::vector<char> is_touched_;
  std::vector<Label> touched_;
};

}  // namespace

std::vector<double> lloyd_kernel(const GraphView& graph, std::span<const double> diagonal,
                                 std::span<const double> weight, std::span<Label> labels,
                                 Label n_labels, const PriorParameters& prior, int max_passes,
                                 CancellationToken& token) {
  KernelSpace space(graph, diagonal, weight, token);
  return lloyd_passes(space, labels, n_labels, prior, max_passes, token);
}

}  // namespace powercut
