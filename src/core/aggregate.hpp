#pragma once

#include <span>

#include "cancel.hpp"
#include "clusters.hpp"
#include "graph_view.hpp"
#include "pages.hpp"
#include "types.hpp"

namespace powercut {

/// A graph whose nodes are the clusters of another: J of any partition of it is J
/// of the same partition of the original nodes.
struct CoarseGraph {
  LargeVector<Entry> offsets;
  LargeVector<Node> indices;
  LargeVector<double> weights;
  LargeVector<double> volume;
  LargeVector<double> weight;  ///< empty where the nodes have none
  LargeVector<Count> count;
};

/// Labels must fill [0, n_labels).
CoarseGraph aggregate(const GraphView& graph, const NodeArrays& nodes,
                      std::span<const Label> labels, Label n_labels, int n_threads,
                      Cancel& cancel);

}  // namespace powercut
