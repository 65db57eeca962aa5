#pragma once

#include <cstdint>
#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/scored_clusters.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// Divides clusters into subclusters where that lowers J; returns how many there are.
///
/// Each cluster is treated as a small graph. Its nodes are joined level by level by the score
/// alone; then groups are moved with the size prior included, from the coarsest level down to
/// single nodes. The result replaces the cluster if its cost is lower, and is divided again.
/// Clusters are independent, so each thread takes one at a time and its small graph stays in the
/// cache. Only clusters c with divisible[c] are tried. `subclusters` are numbered cluster by
/// cluster.
Label divide(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
             Label n_labels, std::span<const bool> divisible, const Objective& j, int n_threads,
             std::uint64_t seed, std::span<Label> subclusters, CancellationToken& token);

}  // namespace powercut
