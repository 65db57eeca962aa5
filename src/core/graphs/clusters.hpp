#pragma once

#include <numeric>
#include <span>

#include "base/cancellation.hpp"
#include "base/large_pages.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "graphs/scores.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// Attributes of the nodes of one level. Nodes of the finest level need no counts (each is one
/// original node) and often have no weights.
struct NodeArrays {
  const double* volume = nullptr;
  const double* weight = nullptr;  ///< null: the count
  const Count* count = nullptr;    ///< null: 1

  void prefetch(Node node) const {
    prefetch_memory(&volume[node]);
    if (weight != nullptr) prefetch_memory(&weight[node]);
    if (count != nullptr) prefetch_memory(&count[node]);
  }

  ClusterStats singleton(Node node, double self_weight) const {
    const Count n = count == nullptr ? 1 : count[node];
    return {self_weight, volume[node], weight == nullptr ? static_cast<double>(n) : weight[node],
            n};
  }

  /// The number of original nodes of n nodes.
  Count total_count(Node n) const {
    return count == nullptr ? n : std::accumulate(count, count + n, Count{0});
  }
};

using Clusters = LargeVector<ClusterStats>;

/// Sums over the clusters that labels in [0, n_labels) define. They are added in the order of the
/// rows, so they do not depend on the number of threads.
Clusters cluster_stats(const GraphView& graph, const NodeArrays& nodes,
                       std::span<const Label> labels, Label n_labels, ThreadTeam& team,
                       Ticker& ticker);

/// The weight of each node's edges to the other nodes of its cluster, or the sum of their squares.
void inside_degrees(const GraphView& graph, std::span<const Label> labels, bool squared,
                    std::span<double> degrees, ThreadTeam& team, Ticker& ticker);

}  // namespace powercut
