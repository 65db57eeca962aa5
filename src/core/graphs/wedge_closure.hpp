#pragma once

#include "base/cancellation.hpp"
#include "base/random.hpp"
#include "graphs/owned_graph.hpp"

namespace powercut {

/// Tests whether wedges (paths of two edges) are closed more often than in a random graph with the
/// same degrees: in total (m times as often with m clusters), or two or three at the same node (as
/// inside a small cluster). Returns true for weighted graphs, whose weights may show clusters that
/// edges do not, and for graphs too small for the test.
bool may_have_clusters(const OwnedGraph& graph, Random& random, Ticker& ticker);

}  // namespace powercut
