#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/owned_graph.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// Writes the index of each node within its cluster.
void number_within_clusters(std::span<const Label> labels, Label n_labels,
                            std::span<Node> index_in_cluster);

/// The subgraph of one cluster: its members and the edges between them.
OwnedGraph cluster_graph(const GraphView& graph, const NodeArrays& nodes,
                         std::span<const Label> labels, std::span<const Node> members,
                         std::span<const Node> index_in_cluster, ThreadTeam& team, Ticker& ticker);

/// The same, if only the labels are known; the cluster must have members.
OwnedGraph cluster_graph(const GraphView& graph, const NodeArrays& nodes,
                         std::span<const Label> labels, Label cluster, ThreadTeam& team,
                         Ticker& ticker);

/// Reduces a graph to the subgraph of one cluster, in place.
void keep_cluster(OwnedGraph& graph, std::span<const Label> labels, std::span<const Node> members,
                  std::span<const Node> index_in_cluster, Ticker& ticker);

}  // namespace powercut
