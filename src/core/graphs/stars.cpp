#include "graphs/stars.hpp"

#include <algorithm>

namespace powercut {

Partition stars(const GraphView& graph, Label most, double few_edges) {
  constexpr Label none = -1;
  const Node n = graph.rows();
  const double mean = static_cast<double>(graph.size()) / static_cast<double>(std::max<Node>(1, n));
  const auto is_free = [&](Node node, const LargeVector<Label>& labels) {
    return labels[node] == none && static_cast<double>(graph.length(node)) >= few_edges * mean;
  };
  Partition groups{LargeVector<Label>(n, none), 0};
  for (Node center = 0; center < n; ++center) {
    if (groups.labels[center] != none) continue;
    const Label group = groups.n++;
    const bool takes_in = is_free(center, groups.labels);
    groups.labels[center] = group;
    Label size = takes_in ? 1 : most;
    // Nodes are visited in ascending order, so the last neighbors are the likeliest to be free.
    for (Entry place = graph.length(center) - 1; place >= 0 && size < most; --place) {
      const Node other = graph.neighbor(center, place);
      if (!is_free(other, groups.labels)) continue;
      groups.labels[other] = group;
      ++size;
    }
  }
  return groups;
}

}  // namespace powercut
