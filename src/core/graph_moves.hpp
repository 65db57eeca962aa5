#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cancel.hpp"
#include "clusters.hpp"
#include "graph_view.hpp"
#include "types.hpp"

namespace powercut {

/// J = sum over clusters of a score + tradeoff * Pitman-Yor regulariser.
struct Objective {
  std::string_view score;
  std::span<const double> score_parameters;
  double concentration;
  double discount;
  double tradeoff;
};

/// J without the constant of the regulariser, from the clusters (empty ones count nothing).
double objective(const Objective& j, std::span<const ClusterStats> clusters);

struct MoveOptions {
  /// Nodes may only meet inside their group; null: anywhere. Every cluster must
  /// lie inside one group to begin with.
  const Label* within = nullptr;
  /// Refuse a move that would break the cluster it leaves into pieces.
  bool keep_connected = false;
  /// Look at every node again when the queue is empty, until nobody gains: a move
  /// changes what its clusters are worth to all their neighbours, not only to its own.
  bool exhaustive = false;
  std::uint64_t seed = 0;
};

struct MoveSummary {
  double before;   ///< J of the labels as they came
  double after;    ///< J of the labels as they are now
  Count moves;     ///< moves made, each of which lowered J
  Label n_labels;  ///< every label is below this; some may be empty
};

/// Lowers J by moving single nodes to the best of their neighbours' clusters, or
/// out into a new one.
///
/// Each move is exact: its delta is J after minus J before. Nodes wait in a
/// queue, in random order at first; a node that moves calls back its neighbours
/// outside its new cluster, and the work ends with the queue, or, if it is to be
/// exhaustive, when no move of any node lowers J. `labels` is read and written.
MoveSummary local_moves(const GraphView& graph, const NodeArrays& nodes, std::span<Label> labels,
                        Label n_labels, const Objective& j, const MoveOptions& options,
                        Cancel& cancel);

/// The best move of each node of a block of rows, all against the same labels.
///
/// `target` and `delta` have an element for each row of the block: the label to
/// move to, clusters.size() for a new cluster, the node's own label (delta 0)
/// where no move lowers J.
void propose(const GraphView& block, const NodeArrays& nodes, std::span<const Label> labels,
             std::span<const ClusterStats> clusters, const Objective& j, std::span<Label> target,
             std::span<double> delta, Cancel& cancel);

/// What J rises by, for each node, if it moves to the best of the other clusters that it could
/// move to: infinite for a node that is alone and without neighbours elsewhere, negative where
/// a move lowers J.
void margins(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
             Label n_labels, const Objective& j, std::span<double> margin, Cancel& cancel);

}  // namespace powercut
