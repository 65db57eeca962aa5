#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/large_pages.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "graphs/scores.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// What each node of one level carries. Nodes of the finest level have no
/// counts (they are one original node each) and often no weights.
struct NodeArrays {
  const double* volume = nullptr;
  const double* weight = nullptr;  ///< null: the count
  const Count* count = nullptr;    ///< null: 1

  void expect(Node node) const {
    prefetch(&volume[node]);
    if (weight != nullptr) prefetch(&weight[node]);
    if (count != nullptr) prefetch(&count[node]);
  }

  ClusterStats alone(Node node, double self_weight) const {
    const Count n = count == nullptr ? 1 : count[node];
    return {self_weight, volume[node], weight == nullptr ? static_cast<double>(n) : weight[node],
            n};
  }
};

using Clusters = LargeVector<ClusterStats>;

/// The clusters that labels in [0, n_labels) make of the rows of a graph. Sums are taken in
/// the order of the rows, whoever looks at their edges.
Clusters cluster_stats(const GraphView& graph, const NodeArrays& nodes,
                       std::span<const Label> labels, Label n_labels, Team& team, Ticker& ticker);

/// The weight that joins each node to the others of its cluster, or the squares of the weights.
void inside_degrees(const GraphView& graph, std::span<const Label> labels, bool squared,
                    std::span<double> degrees, Team& team, Ticker& ticker);

}  // namespace powercut
