#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/objective.hpp"
#include "graphs/pulls.hpp"
#include "graphs/view.hpp"
#include "search/moves.hpp"

namespace powercut {

/// The change of J, for each node, if it makes its best move to another cluster within the limits
/// of sizes: negative if that lowers J, infinite if there is none, as for a singleton without
/// neighbors that has no home. Pulls are part of J. `known` are the sums over the clusters, if the
/// caller has them.
void margins(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
             Label n_labels, const Objective& j, const SizeLimits& limits, const Pulls& pulls,
             std::span<double> margin, int n_threads, CancellationToken& token,
             Clusters known = {});

}  // namespace powercut
