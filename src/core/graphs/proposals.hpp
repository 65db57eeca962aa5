#pragma once

#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/move_costs.hpp"
#include "graphs/neighborhood.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// Where a node would move, and all that its delta is computed from besides the clusters.
struct Proposal {
  Label target;  ///< the node's own label: it stays; new_cluster: out into a new one
  bool deferred;
  double own_link;
  double target_link;
  double loops;
};

/// The best move of a node against labels and clusters that nobody changes meanwhile.
template <class Score>
Proposal best_proposal(const GraphView& graph, const NodeArrays& nodes,
                       std::span<const Label> labels, const Label* within,
                       const Valuation<Score>& clusters, Node node, Neighbourhood& around) {
  const Label own = labels[node];
  const double loops = around.look(graph, node, labels, clusters.size(), within,
                                   [&](Label c) { clusters.expect(c); });
  const double own_link = around.weight_to(own);
  const Move move = clusters.best_move(nodes.alone(node, loops), own, own_link, around.links());
  if (move.target == own) return {own, false, 0, 0, 0};
  const double target_link = move.target == new_cluster ? 0 : around.weight_to(move.target);
  return {move.target, false, own_link, target_link, loops};
}

/// Those of a block that want to move, as arrays that can be sent.
struct Wishes {
  std::vector<Node> place;  ///< of the node in the block
  std::vector<Label> target;
  std::vector<double> own_link;
  std::vector<double> target_link;
  std::vector<double> loops;
  /// Neighbours in the block, of a lower number than the node's own: if one of them wants to
  /// move, too, the node waits.
  std::vector<Node> rivals;
  std::vector<Node> n_rivals;  ///< of each wish
};

/// What of the nodes of a block in [begin, end) want. `block` is in the order of its nodes' turns.
Wishes wishes(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
              Clusters clusters, const Objective& j, std::span<const Node> block, std::size_t begin,
              std::size_t end, Cancel& cancel);

/// Neighbours of nodes that have moved who have not seen it: they are in another cluster, and
/// their block came no later. Each once, sorted. `block_of` has 0 for those without a turn.
std::vector<Node> called(const GraphView& graph, std::span<const Label> labels,
                         std::span<const std::uint16_t> block_of, std::span<const Node> moved,
                         Cancel& cancel);

}  // namespace powercut
