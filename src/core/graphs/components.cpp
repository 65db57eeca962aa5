#include "graphs/components.hpp"

#include <algorithm>
#include <vector>

namespace powercut {

Label split_components(const GraphView& graph, std::span<const Label> labels,
                       std::span<Label> pieces, Cancel& cancel) {
  Ticker ticker(cancel);
  std::fill(pieces.begin(), pieces.end(), -1);
  std::vector<Node> stack;
  Label n_pieces = 0;
  for (Node root = 0; root < graph.rows(); ++root) {
    if (pieces[root] >= 0) continue;
    pieces[root] = n_pieces;
    stack.assign(1, root);
    while (!stack.empty()) {
      const Node at = stack.back();
      stack.pop_back();
      graph.for_each(at, [&](Node other, double) {
        if (pieces[other] >= 0 || labels[other] != labels[at]) return;
        pieces[other] = n_pieces;
        stack.push_back(other);
      });
      ticker.tick(1 + graph.length(at));
    }
    ++n_pieces;
  }
  return n_pieces;
}

}  // namespace powercut
