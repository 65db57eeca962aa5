#pragma once

#include <cstdint>
#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/objective.hpp"
#include "graphs/pulls.hpp"
#include "graphs/remote_workers.hpp"
#include "graphs/view.hpp"
#include "search/conflicts.hpp"
#include "search/moves.hpp"

namespace powercut {

struct GraphMoveOptions {
  /// Nodes may join only clusters inside their own group; null: any cluster. Every initial cluster
  /// must lie inside one group.
  const Label* within = nullptr;
  /// Reject moves that would disconnect the cluster that the node leaves.
  bool keep_connected = false;
  /// When no node is left to visit, visit all again until no move lowers J: a move changes the cost
  /// of its clusters for all their neighbors, not only for the neighbors of the node.
  bool exhaustive = false;
  /// The search ends after a round in which at most this fraction of the nodes moved, unless it is
  /// exhaustive.
  double negligible = 0;
  int n_threads = 1;
  std::uint64_t seed = 0;
  /// Remote workers that read the rows instead of the local threads; not together with `within`.
  RemoteGraphWorkers* workers = nullptr;
  /// The nodes that the first round visits; null: all. Others follow if neighbors of theirs move.
  const bool* first = nullptr;
  /// A move must lower J by more than this; not together with remote workers.
  double inertia = 0;
  /// Of the sizes of clusters; not together with remote workers.
  SizeLimits limits = {};
  /// Nodes that must not share a cluster; no initial cluster may hold two of them. Not together
  /// with remote workers.
  Conflicts conflicts = {};
  /// Clusters that attract nodes; they are a part of J. A node without neighbors may join them,
  /// too. Not together with remote workers or `within`.
  Pulls pulls = {};
};

struct GraphMoveSummary {
  double before;      ///< J of the initial labels
  double after;       ///< J of the final labels
  Count moves;        ///< moves made, each of which lowered J
  Clusters clusters;  ///< of the final labels; some may be empty
};

/// Lowers J by moving single nodes to the best of their neighbors' clusters, or to a new one.
///
/// A round visits the queued nodes batch by batch, in an order given by the seed. *Propose*: all
/// threads find the best move of each node of a batch against the labels before the batch.
/// *Commit*: the moves are made one by one, each only if it still lowers J. Its delta is exact,
/// because at most one of two neighbors in a batch may move. Deferred nodes, and neighbors of moved
/// nodes that are in other clusters, are queued for the next round. Batches depend on the graph
/// alone, so the labels are the same for any number of threads. `labels` is read and written. The
/// first queue has all nodes, unless the options name some. `known` are the sums over the initial
/// clusters, if the caller has them; otherwise it takes a pass over all edges to add them.
GraphMoveSummary local_moves(const GraphView& graph, const NodeArrays& nodes,
                             std::span<Label> labels, Label n_labels, const Objective& j,
                             const GraphMoveOptions& options, CancellationToken& token,
                             Clusters known = {});

}  // namespace powercut
