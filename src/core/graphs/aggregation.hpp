#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/members.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/owned_graph.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// The graph whose nodes are the clusters of another: J of any partition of it is J of the same
/// partition of the original nodes. Labels must fill [0, n_labels).
OwnedGraph aggregate(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
                     Label n_labels, int n_threads, Cancel& cancel);

/// What the nodes of that graph carry, without its edges.
OwnedGraph aggregate_nodes(const NodeArrays& nodes, std::span<const Label> labels, Label n_labels);

/// Gives it the edges, if they are no more than `most` entries; says whether they are.
bool aggregate_edges(const GraphView& graph, std::span<const Label> labels, const Members& groups,
                     Entry most, int n_threads, Cancel& cancel, OwnedGraph& coarse);

}  // namespace powercut
