#include "clusters.hpp"

namespace powercut {

std::vector<ClusterStats> cluster_stats(const GraphView& graph, const NodeArrays& nodes,
                                        std::span<const Label> labels, Label n_labels,
                                        Ticker* ticker) {
  std::vector<ClusterStats> clusters(n_labels);
  for (Node i = graph.first(); i < graph.end(); ++i) {
    const Label own = labels[i];
    double inside = 0;
    graph.for_each(i, [&](Node j, double w) {
      if (labels[j] == own) inside += w;
    });
    const ClusterStats node = nodes.alone(i, inside);
    ClusterStats& c = clusters[own];
    c.inside += node.inside;
    c.volume += node.volume;
    c.weight += node.weight;
    c.count += node.count;
    if (ticker != nullptr) ticker->tick(1 + graph.length(i));
  }
  return clusters;
}

}  // namespace powercut
