#include "graphs/proposals.hpp"

#include <algorithm>

#include "base/large_pages.hpp"

namespace powercut {

Wishes wishes(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
              Clusters clusters, const Objective& j, std::span<const Node> block, std::size_t begin,
              std::size_t end, Cancel& cancel) {
  Ticker ticker(cancel);
  Neighbourhood around;
  LargeVector<Node> sorted(block.begin(), block.end());
  std::ranges::sort(sorted);
  Wishes found;
  with_score(j.score, j.score_parameters, [&](const auto& score) {
    const Valuation valuation(score, j, std::move(clusters));
    for (std::size_t k = begin; k < end; ++k) {
      const Node node = block[k];
      ticker.tick(1 + graph.length(node));
      const Proposal wish = best_proposal(graph, nodes, labels, nullptr, valuation, node, around);
      if (wish.target == labels[node]) continue;
      found.place.push_back(static_cast<Node>(k));
      found.target.push_back(wish.target);
      found.own_link.push_back(wish.own_link);
      found.target_link.push_back(wish.target_link);
      found.loops.push_back(wish.loops);
      const std::size_t before = found.rivals.size();
      graph.for_each(node, [&](Node other, double) POWERCUT_INLINE {
        if (other < node && std::ranges::binary_search(sorted, other))
          found.rivals.push_back(other);
      });
      found.n_rivals.push_back(static_cast<Node>(found.rivals.size() - before));
    }
  });
  return found;
}

std::vector<Node> called(const GraphView& graph, std::span<const Label> labels,
                         std::span<const std::uint16_t> block_of, std::span<const Node> moved,
                         Cancel& cancel) {
  Ticker ticker(cancel);
  std::vector<Node> unseen;
  std::size_t distinct = 0;
  const auto only_once = [&] {
    std::ranges::sort(unseen);
    const auto repeats = std::ranges::unique(unseen);
    unseen.erase(repeats.begin(), repeats.end());
    distinct = unseen.size();
  };
  for (const Node node : moved) {
    ticker.tick(1 + graph.length(node));
    graph.for_each(node, [&](Node other, double) POWERCUT_INLINE {
      if (labels[other] != labels[node] && block_of[other] <= block_of[node]) {
        unseen.push_back(other);
      }
    });
    constexpr std::size_t many = 1 << 20;
    if (unseen.size() > 2 * distinct + many) only_once();
  }
  only_once();
  return unseen;
}

}  // namespace powercut
