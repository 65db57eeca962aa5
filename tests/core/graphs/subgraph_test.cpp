#include "graphs/subgraph.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "graphs/clusters.hpp"
#include "support.hpp"

namespace powercut::testing {
namespace {

OwnedGraph inside(const SmallGraph& graph, const std::vector<Label>& labels, Label cluster) {
  Never never;
  Ticker ticker(never);
  ThreadTeam team(1);
  return cluster_graph(graph.view(), graph.nodes(), labels, cluster, team, ticker);
}

/// A triangle and a pair, joined by an edge; the last node of the pair has a loop.
const SmallGraph graph = SmallGraph::from_matrix(5, {0, 1, 1, 0, 0,  //
                                                     1, 0, 1, 0, 0,  //
                                                     1, 1, 0, 1, 0,  //
                                                     0, 0, 1, 0, 1,  //
                                                     0, 0, 0, 1, 3});
const std::vector<Label> labels{0, 0, 0, 1, 1};

TEST(ClusterGraph, HasTheEdgesInsideAndTheVolumesOfTheWhole) {
  const OwnedGraph pair = inside(graph, labels, 1);
  EXPECT_EQ(std::vector<Node>(pair.indices.begin(), pair.indices.end()),
            (std::vector<Node>{1, 0, 1}));
  EXPECT_EQ(std::vector<Entry>(pair.offsets.begin(), pair.offsets.end()),
            (std::vector<Entry>{0, 1, 3}));
  EXPECT_EQ(std::vector<double>(pair.weights.begin(), pair.weights.end()),
            (std::vector<double>{1, 1, 3}));
  EXPECT_EQ(std::vector<double>(pair.volume.begin(), pair.volume.end()),
            (std::vector<double>{graph.volume[3], graph.volume[4]}));
}

TEST(ClusterGraph, KnowsWhetherThereAreLoops) {
  EXPECT_FALSE(inside(graph, labels, 0).view().may_have_loops());
  EXPECT_TRUE(inside(graph, labels, 1).view().may_have_loops());
}

TEST(ClusterStats, OfSingletonsWithoutLoopsAreThoseOfTheirRows) {
  for (const Label cluster : {0, 1}) {
    const OwnedGraph some = inside(graph, labels, cluster);
    const Node n = some.view().rows();
    Never never;
    Ticker ticker(never);
    ThreadTeam team(1);
    const std::vector<Label> apart = singletons(n);
    const Clusters sums = cluster_stats(some.view(), some.nodes(), apart, n, team, ticker);
    for (Node i = 0; i < n; ++i) {
      EXPECT_EQ(sums[i].inside, cluster == 1 && i == 1 ? 3 : 0);
      EXPECT_EQ(sums[i].volume, some.volume[i]);
      EXPECT_EQ(sums[i].count, 1);
    }
  }
}

}  // namespace
}  // namespace powercut::testing
