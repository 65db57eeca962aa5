#pragma once

#include <cstdint>
#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/move_costs.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// Divides clusters from inside, where that lowers J; returns how many pieces there are.
///
/// Each cluster is a small graph of its own. Its nodes are joined on all grains while the
/// score alone gains, the groups moved on all grains, back to single nodes, with the prior
/// switched on; what comes out is taken if it is worth more than the whole, and divided
/// again. No cluster knows of another, so threads take a cluster each, and the small graph
/// stays near a processor. Only clusters c with divisible[c] are looked at. `pieces` are
/// numbered cluster by cluster.
Label divide(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
             Label n_labels, std::span<const bool> divisible, const Objective& j, int n_threads,
             std::uint64_t seed, std::span<Label> pieces, Cancel& cancel);

}  // namespace powercut
