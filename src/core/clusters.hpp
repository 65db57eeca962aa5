#pragma once

#include <span>
#include <vector>

#include "cancel.hpp"
#include "graph_view.hpp"
#include "scores.hpp"
#include "types.hpp"

namespace powercut {

/// What each node of one level carries. Nodes of the finest level have no
/// counts (they are one original node each) and often no weights.
struct NodeArrays {
  const double* volume = nullptr;
  const double* weight = nullptr;  ///< null: the count
  const Count* count = nullptr;    ///< null: 1

  ClusterStats alone(Node node, double self_weight) const {
    const Count n = count == nullptr ? 1 : count[node];
    return {self_weight, volume[node], weight == nullptr ? static_cast<double>(n) : weight[node], n};
  }
};

/// The clusters that labels in [0, n_labels) make of all nodes of a graph.
std::vector<ClusterStats> cluster_stats(const GraphView& graph, const NodeArrays& nodes,
                                        std::span<const Label> labels, Label n_labels,
                                        Ticker* ticker = nullptr);

}  // namespace powercut
