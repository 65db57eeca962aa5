#include "graphs/margins.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "support.hpp"

namespace powercut {
namespace {

using testing::all_specs;
using testing::candidates;
using testing::naive_objective;
using testing::Never;
using testing::random_coarse_graph;
using testing::random_labels;
using testing::SmallGraph;
using testing::Spec;

TEST(Margins, BestMoveToAnotherClusterEvenIfItRaisesJ) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const SmallGraph graph = random_coarse_graph(seed, 14);
    constexpr Label n_labels = 6;
    const std::vector<Label> labels = random_labels(seed, graph.n, n_labels);
    for (const Spec& spec : all_specs(graph)) {
      Never never;
      std::vector<double> margin(graph.n);
      margins(graph.view(), graph.nodes(), labels, n_labels, spec.objective(), {}, {}, margin, 2,
              never);
      ThreadTeam team(1);
      Ticker ticker(never);
      std::vector<double> again(graph.n);
      margins(graph.view(), graph.nodes(), labels, n_labels, spec.objective(), {}, {}, again, 1,
              never, cluster_stats(graph.view(), graph.nodes(), labels, n_labels, team, ticker));
      EXPECT_EQ(again, margin);
      const double j = naive_objective(graph, labels, spec);
      for (Node i = 0; i < graph.n; ++i) {
        SCOPED_TRACE(spec.score + ", seed " + std::to_string(seed));
        double best = std::numeric_limits<double>::infinity();
        for (const Label c : candidates(graph, i, labels, n_labels)) {
          const auto company = std::count(labels.begin(), labels.end(), labels[i]);
          if (c == n_labels && company == 1) continue;
          std::vector<Label> moved = labels;
          moved[i] = c;
          best = std::min(best, naive_objective(graph, moved, spec) - j);
        }
        EXPECT_NEAR(margin[i], best, 1e-11);
      }
    }
  }
}

TEST(Margins, InfiniteWithoutAnotherCluster) {
  const SmallGraph graph = SmallGraph::from_matrix(1, {0});
  Never never;
  std::vector<double> margin(1);
  margins(graph.view(), graph.nodes(), std::vector<Label>{0}, 1, Spec{"ncut", {5}, 0}.objective(),
          {}, {}, margin, 1, never);
  EXPECT_EQ(margin[0], std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace powercut
