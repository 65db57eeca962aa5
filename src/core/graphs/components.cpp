#include "graphs/components.hpp"

#include <algorithm>

#include "base/large_pages.hpp"
#include "graphs/row_prefetch.hpp"

namespace powercut {

Label split_components(const GraphView& graph, std::span<const Label> labels,
                       std::span<Label> components, CancellationToken& token) {
  Ticker ticker(token);
  std::fill(components.begin(), components.end(), -1);
  // All nodes in the order in which they are reached: first in, first out, so that it is known
  // which rows follow.
  LargeVector<Node> reached(graph.rows());
  std::size_t n_reached = 0;
  Label n_components = 0;
  for (Node root = 0; root < graph.rows(); ++root) {
    if (components[root] >= 0) continue;
    components[root] = n_components;
    std::size_t at = n_reached;
    reached[n_reached++] = root;
    for (; at < n_reached; ++at) {
      const Node node = reached[at];
      prefetch_next_rows(graph, std::span<const Node>(reached.data(), n_reached), at,
                         components.data());
      graph.for_each(node, [&](Node other, double) POWERCUT_INLINE {
        if (components[other] >= 0 || labels[other] != labels[node]) return;
        components[other] = n_components;
        reached[n_reached++] = other;
      });
      ticker.tick(1 + graph.length(node));
    }
    ++n_components;
  }
  return n_components;
}

}  // namespace powercut
