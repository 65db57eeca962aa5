#pragma once

#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/neighborhood.hpp"
#include "graphs/pulls.hpp"
#include "graphs/scored_clusters.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// The proposed move of a node, with everything its delta depends on besides the clusters.
struct Proposal {
  Label target;  ///< the node's own label: it stays; `new_cluster`: it opens a cluster
  bool deferred;
  double own_link;
  double target_link;
  double loops;
};

/// For nodes that may join any cluster.
constexpr auto any_cluster = [](Label) { return true; };

/// The best move of a node whose edges to each cluster are known, to a cluster with
/// allowed(cluster), against a frozen snapshot of clusters. The pull is `NoPull` or `NodePull`.
template <class Score, class Allowed, class Pull>
Proposal best_proposal(const NodeArrays& nodes, const ScoredGraphClusters<Score>& clusters,
                       Node node, Label own, double loops, Neighborhood& neighborhood,
                       Allowed&& allowed, const Pull& pull) {
  clusters.add_homes(pull, neighborhood);
  const double own_link = neighborhood.weight_to(own);
  const Move move = clusters.best_move(nodes.singleton(node, loops), own, own_link,
                                       neighborhood.links(), allowed, pull);
  if (move.target == own) return {own, false, 0, 0, 0};
  const double target_link = move.target == new_cluster ? 0 : neighborhood.weight_to(move.target);
  return {move.target, false, own_link, target_link, loops};
}

/// The best move of a node against a frozen snapshot of labels, too.
template <class Score, class Allowed, class Pull>
Proposal best_proposal(const GraphView& graph, const NodeArrays& nodes,
                       std::span<const Label> labels, const Label* within,
                       const ScoredGraphClusters<Score>& clusters, Node node,
                       Neighborhood& neighborhood, Allowed&& allowed, const Pull& pull) {
  const double loops = neighborhood.gather(
      graph, node, labels, clusters.size(), within, [&](Label c) { clusters.prefetch(c); },
      pull.homes().size());
  return best_proposal(nodes, clusters, node, labels[node], loops, neighborhood, allowed, pull);
}

/// The proposals of a batch as arrays, which can be sent between processes.
struct Proposals {
  std::vector<Node> place;  ///< index of the node in the batch
  std::vector<Label> target;
  std::vector<double> own_link;
  std::vector<double> target_link;
  std::vector<double> loops;
  /// Neighbors in the batch with lower numbers than the node: if one of them proposes a move, the
  /// node is deferred.
  std::vector<Node> rivals;
  std::vector<Node> n_rivals;  ///< per proposal
};

/// The proposals of the nodes batch[begin:end]. The batch is in visiting order.
Proposals propose_moves(const GraphView& graph, const NodeArrays& nodes,
                        std::span<const Label> labels, Clusters clusters, const Objective& j,
                        std::span<const Node> batch, std::size_t begin, std::size_t end,
                        CancellationToken& token);

/// Neighbors of moved nodes that were visited before the move: they are in another cluster, and
/// their batch was not later. Sorted, without repeats. `batch_of` is 0 for nodes not visited.
std::vector<Node> nodes_to_revisit(const GraphView& graph, std::span<const Label> labels,
                                   std::span<const std::uint16_t> batch_of,
                                   std::span<const Node> moved, CancellationToken& token);

}  // namespace powercut
