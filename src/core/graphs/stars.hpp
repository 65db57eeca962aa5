#pragma once

#include "graphs/hierarchy.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// Groups nodes with neighbors of theirs, without comparing these: each node that is in no group
/// yet takes in up to `most` - 1 of its neighbors that are in none. It reads few of the edges.
///
/// In a graph with few triangles a node has one edge to each of the nodes around it, so that no
/// neighbor is better than another. Nodes of few edges (a share of the mean) stay alone: they may
/// belong to a cluster that is smaller than a star. Rows should be sorted.
Partition stars(const GraphView& graph, Label most, double few_edges);

}  // namespace powercut
