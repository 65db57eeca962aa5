#pragma once

#include "base/cancellation.hpp"
#include "base/random.hpp"
#include "base/threads.hpp"
#include "graphs/owned_graph.hpp"

namespace powercut {

/// Tests whether wedges (paths of two edges) are closed more often than in a random graph with the
/// same degrees. Many clusters show in the total: with m clusters, m times as many wedges are
/// closed. A small cluster shows at a node: two or three of its sampled wedges are closed. Returns
/// true for weighted graphs, whose weights may show clusters that edges do not, and for graphs too
/// small for the test.
bool may_have_clusters(const OwnedGraph& graph, Random& random, ThreadTeam& team, Ticker& ticker);

}  // namespace powercut
