#include "graphs/margins.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "graphs/move_costs.hpp"
#include "graphs/neighborhood.hpp"
#include "graphs/scores.hpp"

namespace powercut {

void margins(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
             Label n_labels, const Objective& j, std::span<double> margin, int n_threads,
             Cancel& cancel) {
  Ticker ticker(cancel);
  Team team(n_threads);
  Clusters clusters = cluster_stats(graph, nodes, labels, n_labels, team, ticker);
  std::vector<Neighbourhood> of_member(team.size());
  with_score(j.score, j.score_parameters, [&](const auto& score) {
    const Valuation valuation(score, j, std::move(clusters));
    team.for_ranges(graph.rows(), 256, [&](int member, std::int64_t begin, std::int64_t end) {
      Neighbourhood& around = of_member[member];
      for (Node i = static_cast<Node>(begin); i < end; ++i) {
        const ClusterStats node = nodes.alone(i, around.look(graph, i, labels, valuation.size()));
        if (member == 0) ticker.tick(1 + graph.length(i));
        double smallest = std::numeric_limits<double>::infinity();
        valuation.for_each_move(
            node, labels[i], around.weight_to(labels[i]), around.links(),
            [&](Label, double delta, double) { smallest = std::min(smallest, delta); });
        margin[i] = smallest;
      }
    });
  });
}

}  // namespace powercut
