#include "graphs/proposals.hpp"

#include <algorithm>

#include "base/large_pages.hpp"

namespace powercut {

Proposals propose_moves(const GraphView& graph, const NodeArrays& nodes,
                        std::span<const Label> labels, Clusters clusters, const Objective& j,
                        std::span<const Node> batch, std::size_t begin, std::size_t end,
                        CancellationToken& token) {
  Ticker ticker(token);
  Neighborhood neighborhood;
  LargeVector<Node> sorted(batch.begin(), batch.end());
  std::ranges::sort(sorted);
  Proposals found;
  with_score(j.score, j.score_parameters, [&](const auto& score) {
    const ScoredGraphClusters scored(score, j, std::move(clusters));
    for (std::size_t k = begin; k < end; ++k) {
      const Node node = batch[k];
      ticker.tick(1 + graph.length(node));
      const Proposal proposal = best_proposal(graph, nodes, labels, nullptr, scored, node,
                                              neighborhood, any_cluster, NoPull{});
      if (proposal.target == labels[node]) continue;
      found.place.push_back(static_cast<Node>(k));
      found.target.push_back(proposal.target);
      found.own_link.push_back(proposal.own_link);
      found.target_link.push_back(proposal.target_link);
      found.loops.push_back(proposal.loops);
      const std::size_t before = found.rivals.size();
      graph.for_each(node, [&](Node other, double) POWERCUT_INLINE {
        if (other < node && std::ranges::binary_search(sorted, other)) {
          found.rivals.push_back(other);
        }
      });
      found.n_rivals.push_back(static_cast<Node>(found.rivals.size() - before));
    }
  });
  return found;
}

std::vector<Node> nodes_to_revisit(const GraphView& graph, std::span<const Label> labels,
                                   std::span<const std::uint16_t> batch_of,
                                   std::span<const Node> moved, CancellationToken& token) {
  Ticker ticker(token);
  std::vector<Node> nodes;
  std::size_t distinct = 0;
  const auto remove_repeats = [&] {
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    distinct = nodes.size();
  };
  for (const Node node : moved) {
    ticker.tick(1 + graph.length(node));
    graph.for_each(node, [&](Node other, double) POWERCUT_INLINE {
      if (labels[other] != labels[node] && batch_of[other] <= batch_of[node]) {
        nodes.push_back(other);
      }
    });
    constexpr std::size_t many = 1 << 20;
    if (nodes.size() > 2 * distinct + many) remove_repeats();
  }
  remove_repeats();
  return nodes;
}

}  // namespace powercut
