#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/owned_graph.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// Writes the place of each node among those of its cluster.
void find_places(std::span<const Label> labels, Label n_labels, std::span<Node> place);

/// The graph of one cluster: its members and the edges between them.
OwnedGraph inside(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
                  std::span<const Node> members, std::span<const Node> place, Ticker& ticker);

/// Makes a graph that of one cluster in it, in its place.
void keep_only(OwnedGraph& graph, std::span<const Label> labels, std::span<const Node> members,
               std::span<const Node> place, Ticker& ticker);

}  // namespace powercut
