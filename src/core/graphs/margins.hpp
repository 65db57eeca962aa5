#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/objective.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// What J rises by, for each node, if it moves to the best of the other clusters that it could
/// move to: infinite for a node that is alone and without neighbours elsewhere, negative where
/// a move lowers J.
void margins(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
             Label n_labels, const Objective& j, std::span<double> margin, int n_threads,
             Cancel& cancel);

}  // namespace powercut
