#pragma once

#include <cmath>
#include <span>

#include "base/large_pages.hpp"
#include "base/types.hpp"
#include "search/moves.hpp"

namespace powercut {

/// The clusters that attract each node, its homes. A node that is not in a home of its own raises J
/// by the nats of that pull.
struct Pulls {
  const Entry* offsets = nullptr;  ///< of each node, in compressed rows; null: none
  const Label* homes = nullptr;
  const double* nats = nullptr;

  bool any() const { return offsets != nullptr; }
  bool concern(Node node) const { return any() && offsets[node] < offsets[node + 1]; }

  std::span<const Label> of(Node node) const {
    return {homes + offsets[node], homes + offsets[node + 1]};
  }

  /// The nats that the node saves in a cluster.
  double toward(Node node, Label c) const {
    double sum = 0;
    for (Entry e = offsets[node]; e < offsets[node + 1]; ++e) sum += homes[e] == c ? nats[e] : 0;
    return sum;
  }

  /// The change of J by the pulls of a node that moves.
  double change(Node node, Label from, Label to) const {
    return toward(node, from) - (to == new_cluster ? 0 : toward(node, to));
  }

  /// The part of J that pulls add.
  double value(std::span<const Label> labels) const {
    double sum = 0;
    for (std::size_t i = 0; any() && i < labels.size(); ++i) {
      for (Entry e = offsets[i]; e < offsets[i + 1]; ++e)
        sum += homes[e] != labels[i] ? nats[e] : 0;
    }
    return sum;
  }
};

/// For nodes that no cluster attracts.
struct NoPull {
  std::span<const Label> homes() const { return {}; }
  double change(Label) const { return 0; }
};

/// The pulls of one node.
struct NodePull {
  const Pulls& pulls;
  Node node;
  Label own;

  std::span<const Label> homes() const { return pulls.of(node); }
  /// The change of J by the pulls if the node moves.
  double change(Label target) const { return pulls.change(node, own, target); }
};

/// Pulls while nodes move. The nodes of a cluster that it attracts count as connected with each
/// other, as if they all had an edge to its home.
class ClusterPulls {
 public:
  /// `labels` are those that moves change.
  ClusterPulls(const Pulls& pulls, std::span<const Label> labels, Label n_labels);

  const Pulls& all() const { return pulls_; }
  bool concern(Node node) const { return pulls_.concern(node); }

  /// All nodes that a cluster attracts, wherever they are.
  std::span<const Node> attracted_by(Label c) const {
    if (!is_home(c)) return {};
    return {attracted_.data() + starts_[c], attracted_.data() + starts_[c + std::size_t{1}]};
  }

  /// Whether a cluster attracts a node.
  bool attract(Node node, Label c) const { return concern(node) && pulls_.toward(node, c) > 0; }

  /// Whether any of the nodes that a cluster attracts is in it.
  bool hold_any(Label c) const { return is_home(c) && n_at_home_[c] > 0; }

  /// Notes that a node has moved.
  void add_move(Node node, Label from, Label to) {
    if (attract(node, from)) --n_at_home_[from];
    if (attract(node, to)) ++n_at_home_[to];
  }

 private:
  /// Clusters that were opened since attract none.
  bool is_home(Label c) const { return static_cast<std::size_t>(c) < n_at_home_.size(); }

  Pulls pulls_;
  LargeVector<Entry> starts_;  ///< of each home in `attracted_`
  LargeVector<Node> attracted_;
  LargeVector<Node> n_at_home_;
};

}  // namespace powercut
