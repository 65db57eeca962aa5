#pragma once

#include "base/cancellation.hpp"
#include "base/random.hpp"
#include "base/threads.hpp"
#include "graphs/owned_graph.hpp"

namespace powercut {

/// What a sample of wedges (paths of two edges) tells of a graph.
struct WedgeClosure {
  /// Whether wedges are closed more often than in a random graph with the same degrees.
  bool shows_clusters;
  /// The mean number of triangles on an edge, over the nodes that are the middle of a wedge.
  double triangles;
};

/// Tests for clusters. Many of them show in the total: with m clusters, m times as many wedges are
/// closed. A small cluster shows at a node: two or three of its sampled wedges are closed. Weighted
/// graphs, whose weights may show clusters that edges do not, and graphs too small for the test are
/// not sampled: they may have clusters, and any number of triangles.
WedgeClosure wedge_closure(const OwnedGraph& graph, Random& random, ThreadTeam& team,
                           Ticker& ticker);

}  // namespace powercut
