#include "graphs/components.hpp"

#include <algorithm>
#include <vector>

namespace powercut {

Label split_components(const GraphView& graph, std::span<const Label> labels,
                       std::span<Label> components, CancellationToken& token) {
  Ticker ticker(token);
  std::fill(components.begin(), components.end(), -1);
  std::vector<Node> stack;
  Label n_components = 0;
  for (Node root = 0; root < graph.rows(); ++root) {
    if (components[root] >= 0) continue;
    components[root] = n_components;
    stack.assign(1, root);
    while (!stack.empty()) {
      const Node at = stack.back();
      stack.pop_back();
      graph.for_each(at, [&](Node other, double) {
        if (components[other] >= 0 || labels[other] != labels[at]) return;
        components[other] = n_components;
        stack.push_back(other);
      });
      ticker.tick(1 + graph.length(at));
    }
    ++n_components;
  }
  return n_components;
}

}  // namespace powercut
