#include "graphs/wedge_closure.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include "support.hpp"

namespace powercut::testing {
namespace {

constexpr Node n_nodes = 20'000;

/// A graph without weights whose nodes have three quarters of their edges in their own group.
OwnedGraph graph_of_groups(std::uint64_t seed, Node group) {
  const SmallGraph small = sparse_graph(seed, n_nodes, group);
  OwnedGraph graph;
  graph.offsets.assign(small.offsets.begin(), small.offsets.end());
  graph.indices.assign(small.indices.begin(), small.indices.end());
  graph.volume.assign(small.volume.begin(), small.volume.end());
  return graph;
}

/// The answer, and the random number that follows.
std::pair<bool, std::uint64_t> answer(const OwnedGraph& graph, std::uint64_t seed, int n_threads) {
  Never never;
  Ticker ticker(never);
  ThreadTeam team(n_threads);
  Random random(seed);
  const bool may = may_have_clusters(graph, random, team, ticker);
  return {may, random.bits()};
}

TEST(MayHaveClusters, IsTrueForManyClustersAndSeldomForNone) {
  int without = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (const Node group : {10, 100, 1000}) {
      EXPECT_TRUE(answer(graph_of_groups(seed, group), seed, 1).first) << group;
    }
    without += answer(graph_of_groups(seed, n_nodes), seed, 1).first;
  }
  EXPECT_LE(without, 2);
}

TEST(MayHaveClusters, FindsASmallCluster) {
  const SmallGraph random = sparse_graph(0, n_nodes, n_nodes);
  constexpr Node clique = 12;
  OwnedGraph graph;
  graph.offsets.push_back(0);
  for (Node i = 0; i < n_nodes; ++i) {
    std::set<Node> row(random.indices.begin() + random.offsets[i],
                       random.indices.begin() + random.offsets[i + 1]);
    for (Node j = 0; i < clique && j < clique; ++j) {
      if (j != i) row.insert(j);
    }
    graph.indices.insert(graph.indices.end(), row.begin(), row.end());
    graph.offsets.push_back(std::ssize(graph.indices));
    graph.volume.push_back(static_cast<double>(row.size()));
  }
  EXPECT_TRUE(answer(graph, 0, 1).first);
}

TEST(MayHaveClusters, GivesTheSameAnswerOnAnyNumberOfThreads) {
  for (const Node group : {100, n_nodes}) {
    const OwnedGraph graph = graph_of_groups(3, group);
    EXPECT_EQ(answer(graph, 3, 3), answer(graph, 3, 1));
  }
}

TEST(MayHaveClusters, EndsAsSoonAsTheAnswerIsPlain) {
  const std::uint64_t seed = 5;
  const auto draws = [&](const OwnedGraph& graph) {
    const std::uint64_t next = answer(graph, seed, 1).second;
    Random random(seed);
    std::int64_t n = 0;
    while (random.bits() != next) ++n;
    return n;
  };
  EXPECT_LT(2 * draws(graph_of_groups(seed, 10)), draws(graph_of_groups(seed, n_nodes)));
}

}  // namespace
}  // namespace powercut::testing
