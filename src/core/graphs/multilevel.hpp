#pragma once

#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/local_moves.hpp"
#include "graphs/objective.hpp"
#include "graphs/view.hpp"

namespace powercut {

struct CycleSummary {
  std::vector<double> path;  ///< J before the first round of moves, and after each
  Clusters clusters;         ///< of the final labels; none is empty
};

/// Lowers J by moves at all levels of a graph. To coarsen: move nodes, find subclusters inside each
/// cluster, aggregate each to one node; repeat until nothing can be aggregated. To refine: go back
/// to the next finer level and move its nodes.
///
/// `labels` is read and written, and compact at the end. If the work is cancelled, it is the
/// partition that was reached; its J is no higher than at the start. Of the options `negligible`,
/// `n_threads`, `seed`, `workers` and `conflicts` apply. Every step has its own seed.
CycleSummary cycle(const GraphView& graph, const NodeArrays& nodes, std::span<Label> labels,
                   Label n_labels, const Objective& j, const GraphMoveOptions& options,
                   CancellationToken& token);

}  // namespace powercut
