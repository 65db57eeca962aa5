#include "graphs/clusters.hpp"

#include <algorithm>
#include <vector>

namespace powercut {
namespace {

/// Nodes per range of a thread.
constexpr Node range = 256;

/// Whether each node is a cluster of its own, of the same number.
bool is_each_its_own(std::span<const Label> labels) {
  Label next = 0;
  return std::ranges::all_of(labels, [&](Label label) { return label == next++; });
}

}  // namespace

Clusters cluster_stats(const GraphView& graph, const NodeArrays& nodes,
                       std::span<const Label> labels, Label n_labels, ThreadTeam& team,
                       Ticker& ticker) {
  constexpr Node chunk = 1 << 16;
  const bool are_singletons = is_each_its_own(labels);
  Clusters clusters(n_labels);
  std::vector<double> inside(std::min(chunk, graph.rows()));
  for (Node first = 0; first < graph.rows(); first += std::min(chunk, graph.rows() - first)) {
    const Node n = std::min(chunk, graph.rows() - first);
    team.for_ranges(n, range, [&](int thread, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const Node node = first + static_cast<Node>(k);
        const Label own = labels[node];
        double sum = 0;
        if (are_singletons) {  // saves reads of labels at random addresses, or all reads
          if (graph.may_have_loops()) {
            graph.for_each(
                node, [&](Node other, double w) POWERCUT_INLINE { sum += other == node ? w : 0; });
          }
        } else {
          graph.prefetch_later_columns(node, labels.data());
          graph.for_each(node, [&](Node other, double w)
                                   POWERCUT_INLINE { sum += labels[other] == own ? w : 0; });
        }
        inside[k] = sum;
        if (thread == 0) ticker.tick(1 + graph.length(node));
      }
    });
    for (Node k = 0; k < n; ++k) {
      const ClusterStats node = nodes.singleton(first + k, inside[k]);
      ClusterStats& c = clusters[labels[first + k]];
      c.inside += node.inside;
      c.volume += node.volume;
      c.weight += node.weight;
      c.count += node.count;
    }
  }
  return clusters;
}

void inside_degrees(const GraphView& graph, std::span<const Label> labels, bool squared,
                    std::span<double> degrees, ThreadTeam& team, Ticker& ticker) {
  team.for_ranges(graph.rows(), range, [&](int thread, std::int64_t begin, std::int64_t end) {
    for (Node node = static_cast<Node>(begin); node < end; ++node) {
      const Label own = labels[node];
      double sum = 0;
      graph.prefetch_later_columns(node, labels.data());
      graph.for_each(node, [&](Node other, double w) POWERCUT_INLINE {
        sum += labels[other] == own && other != node ? (squared ? w * w : w) : 0;
      });
      degrees[node] = sum;
      if (thread == 0) ticker.tick(1 + graph.length(node));
    }
  });
}

}  // namespace powercut
