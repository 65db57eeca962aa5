#include "graphs/margins.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "graphs/neighborhood.hpp"
#include "graphs/pulls.hpp"
#include "graphs/scored_clusters.hpp"
#include "graphs/scores.hpp"

namespace powercut {

void margins(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
             Label n_labels, const Objective& j, const SizeLimits& limits, const Pulls& pulls,
             std::span<double> margin, int n_threads, CancellationToken& token, Clusters known) {
  Ticker ticker(token);
  ThreadTeam team(n_threads);
  if (known.empty()) known = cluster_stats(graph, nodes, labels, n_labels, team, ticker);
  std::vector<Neighborhood> neighborhoods(team.size());
  with_score(j.score, j.score_parameters, [&](const auto& score) {
    const ScoredGraphClusters scored(score, j, std::move(known), limits);
    const auto margin_of = [&](Node i, Neighborhood& neighborhood, const auto& pull) {
      const double loops = neighborhood.gather(
          graph, i, labels, scored.size(), nullptr, [&](Label c) { scored.prefetch(c); },
          pull.homes().size());
      scored.add_homes(pull, neighborhood);
      double smallest = std::numeric_limits<double>::infinity();
      scored.for_each_move(
          nodes.singleton(i, loops), labels[i], neighborhood.weight_to(labels[i]),
          neighborhood.links(), [&] { return scored.limit_for(pull, smallest); },
          [&](Label target, double delta, double) {
            smallest = std::min(smallest, delta + pull.change(target));
          });
      return smallest;
    };
    team.for_ranges(graph.rows(), 256, [&](int thread, std::int64_t begin, std::int64_t end) {
      Neighborhood& neighborhood = neighborhoods[thread];
      for (Node i = static_cast<Node>(begin); i < end; ++i) {
        graph.prefetch_later_columns(i, labels.data());
        margin[i] = pulls.concern(i) ? margin_of(i, neighborhood, NodePull{pulls, i, labels[i]})
                                     : margin_of(i, neighborhood, NoPull{});
        if (thread == 0) ticker.tick(1 + graph.length(i));
      }
    });
  });
}

}  // namespace powercut
