#pragma once

#include "base/cancellation.hpp"
#include "base/random.hpp"
#include "graphs/owned_graph.hpp"

namespace powercut {

/// Whether wedges of a graph are closed more often than in one without clusters, of the same
/// degrees: all in all (in a graph of m clusters m times as often, whatever their sizes), or two
/// or three at the same node (in the midst of a small cluster). Weights can tell clusters that
/// edges do not, and a few wedges tell little: a weighted or a small graph always may have some.
bool may_have_clusters(const OwnedGraph& graph, Random& random, Ticker& ticker);

}  // namespace powercut
