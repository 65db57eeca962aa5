#include "graphs/margins.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "graphs/neighborhood.hpp"
#include "graphs/scored_clusters.hpp"
#include "graphs/scores.hpp"

namespace powercut {

void margins(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
             Label n_labels, const Objective& j, const SizeLimits& limits, std::span<double> margin,
             int n_threads, CancellationToken& token) {
  Ticker ticker(token);
  ThreadTeam team(n_threads);
  Clusters clusters = cluster_stats(graph, nodes, labels, n_labels, team, ticker);
  std::vector<Neighborhood> neighborhoods(team.size());
  with_score(j.score, j.score_parameters, [&](const auto& score) {
    const ScoredGraphClusters scored(score, j, std::move(clusters), limits);
    team.for_ranges(graph.rows(), 256, [&](int thread, std::int64_t begin, std::int64_t end) {
      Neighborhood& neighborhood = neighborhoods[thread];
      for (Node i = static_cast<Node>(begin); i < end; ++i) {
        const ClusterStats node =
            nodes.singleton(i, neighborhood.gather(graph, i, labels, scored.size()));
        if (thread == 0) ticker.tick(1 + graph.length(i));
        double smallest = std::numeric_limits<double>::infinity();
        scored.for_each_move(
            node, labels[i], neighborhood.weight_to(labels[i]), neighborhood.links(),
            [&](Label, double delta, double) { smallest = std::min(smallest, delta); });
        margin[i] = smallest;
      }
    });
  });
}

}  // namespace powercut
