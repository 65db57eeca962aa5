#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/members.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/owned_graph.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// The graph whose nodes are the clusters of another graph. J of a partition of it equals J of the
/// corresponding partition of the original nodes. Labels must fill [0, n_labels).
OwnedGraph aggregate(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
                     Label n_labels, int n_threads, CancellationToken& token);

/// That graph with all edges of an unweighted one, without weights: several join the same two
/// nodes. Rows are sorted.
OwnedGraph join_nodes(const GraphView& graph, const NodeArrays& nodes,
                      std::span<const Label> labels, Label n_labels, CancellationToken& token);

/// The node arrays of that graph, without its edges. `sums` are those over the clusters, if they
/// are known.
OwnedGraph aggregate_nodes(const NodeArrays& nodes, std::span<const Label> labels, Label n_labels,
                           const Clusters& sums = {});

/// Adds the edges unless they have more than `most` entries; returns whether it did.
bool aggregate_edges(const GraphView& graph, std::span<const Label> labels, const Members& groups,
                     Entry most, int n_threads, CancellationToken& token, OwnedGraph& coarse);

}  // namespace powercut
