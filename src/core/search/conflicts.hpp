#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/large_pages.hpp"
#include "base/types.hpp"
#include "search/moves.hpp"

namespace powercut {

/// Which nodes of a level, or points, must not share a cluster; none conflicts with itself.
/// Points are called nodes here, too.
struct Conflicts {
  const std::uint8_t* apart = nullptr;  ///< at most one of these nodes in a cluster; null: none
  const Entry* offsets = nullptr;
  const Node* others = nullptr;  ///< of each node, in compressed rows; symmetric

  bool any() const { return apart != nullptr; }

  std::span<const Node> of(Node node) const {
    return {others + offsets[node], others + offsets[node + 1]};
  }

  bool concern(Node node) const {
    return any() && (apart[node] != 0 || offsets[node] < offsets[node + 1]);
  }
};

/// Conflicts that own their arrays.
struct OwnedConflicts {
  LargeVector<std::uint8_t> apart;
  LargeVector<Entry> offsets;
  LargeVector<Node> others;

  Conflicts view() const {
    return apart.empty() ? Conflicts{} : Conflicts{apart.data(), offsets.data(), others.data()};
  }
};

/// The conflicts between clusters none of which holds conflicting nodes. Labels must fill
/// [0, n_labels).
OwnedConflicts aggregate(const Conflicts& conflicts, std::span<const Label> labels, Label n_labels);

/// Which clusters a node may join, while nodes move. No initial cluster may hold conflicting nodes;
/// then none ever does.
class ClusterConflicts {
 public:
  /// `labels` are those that moves change.
  ClusterConflicts(const Conflicts& conflicts, std::span<const Label> labels, Label n_labels);

  bool concern(Node node) const { return conflicts_.concern(node); }
  std::span<const Node> of(Node node) const { return conflicts_.of(node); }

  /// Whether a node may join another cluster.
  bool allow(Node node, Label target) const {
    if (target == new_cluster) return true;
    if (conflicts_.apart[node] != 0 && holds_apart(target)) return false;
    return std::ranges::none_of(of(node), [&](Node other) { return labels_[other] == target; });
  }

  /// Calls visit(c) for each cluster that a node may not join, some more than once. If at most one
  /// node of its kind may be in a cluster, its own is among them.
  template <class Visit>
  void for_each_barred(Node node, const Visit& visit) const {
    for (const Node other : of(node)) visit(labels_[other]);
    if (conflicts_.apart[node] == 0) return;
    for (std::size_t c = 0; c < holds_apart_.size(); ++c) {
      if (holds_apart_[c] != 0) visit(static_cast<Label>(c));
    }
  }

  /// Notes that a node has moved.
  void add_move(Node node, Label from, Label to) {
    if (!conflicts_.any() || conflicts_.apart[node] == 0) return;
    holds_apart_[from] = 0;
    const std::size_t needed = static_cast<std::size_t>(to) + 1;
    if (holds_apart_.size() < needed) holds_apart_.resize(needed, 0);
    holds_apart_[to] = 1;
  }

 private:
  /// Clusters that were opened since may not be in the table.
  bool holds_apart(Label c) const {
    return static_cast<std::size_t>(c) < holds_apart_.size() && holds_apart_[c] != 0;
  }

  Conflicts conflicts_;
  std::span<const Label> labels_;
  LargeVector<std::uint8_t> holds_apart_;  ///< whether each cluster has one of the nodes apart
};

}  // namespace powercut
