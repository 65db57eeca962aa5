#pragma once

#include <span>
#include <vector>

#include "cancel.hpp"
#include "clusters.hpp"
#include "graph_view.hpp"
#include "types.hpp"

namespace powercut {

/// A graph whose nodes are the clusters of another: J of any partition of it is J
/// of the same partition of the original nodes.
struct CoarseGraph {
  std::vector<Entry> offsets;
  std::vector<Node> indices;
  std::vector<double> weights;
  std::vector<double> volume;
  std::vector<double> weight;  ///< empty where the nodes have none
  std::vector<Count> count;
};

/// Labels must fill [0, n_labels).
CoarseGraph aggregate(const GraphView& graph, const NodeArrays& nodes,
                      std::span<const Label> labels, Label n_labels, Cancel& cancel);

/// The nodes of each cluster, one cluster after the other, in ascending order:
/// cluster c has members[start[c]] to members[start[c + 1] - 1].
struct Members {
  std::vector<Node> start;
  std::vector<Node> members;
};
Members group_by_label(std::span<const Label> labels, Label n_labels);

}  // namespace powercut
