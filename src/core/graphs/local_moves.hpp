#pragma once

#include <cstdint>
#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/objective.hpp"
#include "graphs/remote_workers.hpp"
#include "graphs/view.hpp"

namespace powercut {

struct MoveOptions {
  /// Nodes may only meet inside their group; null: anywhere. Every cluster must
  /// lie inside one group to begin with.
  const Label* within = nullptr;
  /// Refuse a move that would break the cluster it leaves into pieces.
  bool keep_connected = false;
  /// Look at every node again when nobody is left to look at, until nobody gains: a move
  /// changes what its clusters are worth to all their neighbours, not only to its own.
  bool exhaustive = false;
  /// A round in which a smaller part of the nodes moves is the last one, unless the
  /// search is exhaustive.
  double negligible = 0;
  int n_threads = 1;
  std::uint64_t seed = 0;
  /// Who looks at the rows, instead of the threads here; not together with `within`.
  Elsewhere* elsewhere = nullptr;
};

struct MoveSummary {
  double before;      ///< J of the labels as they came
  double after;       ///< J of the labels as they are now
  Count moves;        ///< moves made, each of which lowered J
  Clusters clusters;  ///< of the labels as they are now; some may be empty
};

/// Lowers J by moving single nodes to the best of their neighbours' clusters, or out into a
/// new one.
///
/// Rounds of propose and commit. Those whose turn it is are taken in an order that the
/// seed decides, block by block. For each of a block the best move is found against the
/// labels as they were before the block, by all threads; then the moves are made one after
/// the other, each only if it still lowers J: its delta is exact, because of two neighbours
/// in a block only one may move. Those who could not, and the neighbours of those who moved
/// to another cluster than theirs, have their turn in the next round. Blocks depend on the
/// graph alone, so labels are the same for any number of threads. `labels` is read and
/// written.
MoveSummary local_moves(const GraphView& graph, const NodeArrays& nodes, std::span<Label> labels,
                        Label n_labels, const Objective& j, const MoveOptions& options,
                        Cancel& cancel);

}  // namespace powercut
