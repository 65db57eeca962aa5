#include "graphs/wedge_closure.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

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

/// Whether there may be clusters, and the random number that follows.
std::pair<bool, std::uint64_t> answer(const OwnedGraph& graph, std::uint64_t seed, int n_threads) {
  Never never;
  Ticker ticker(never);
  ThreadTeam team(n_threads);
  Random random(seed);
  const bool may = wedge_closure(graph, random, team, ticker).shows_clusters;
  return {may, random.bits()};
}

TEST(WedgeClosure, ShowsManyClustersAndSeldomAnyWhereThereAreNone) {
  int without = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (const Node group : {10, 100, 1000}) {
      EXPECT_TRUE(answer(graph_of_groups(seed, group), seed, 1).first) << group;
    }
    without += answer(graph_of_groups(seed, n_nodes), seed, 1).first;
  }
  EXPECT_LE(without, 2);
}

/// A random graph without clusters.
std::vector<std::set<Node>> random_rows(std::uint64_t seed) {
  const SmallGraph random = sparse_graph(seed, n_nodes, n_nodes);
  std::vector<std::set<Node>> rows(n_nodes);
  for (Node i = 0; i < n_nodes; ++i) {
    rows[i].insert(random.indices.begin() + random.offsets[i],
                   random.indices.begin() + random.offsets[i + 1]);
  }
  return rows;
}

OwnedGraph graph_of(const std::vector<std::set<Node>>& rows) {
  OwnedGraph graph;
  graph.offsets.push_back(0);
  for (const std::set<Node>& row : rows) {
    graph.indices.insert(graph.indices.end(), row.begin(), row.end());
    graph.offsets.push_back(std::ssize(graph.indices));
    graph.volume.push_back(static_cast<double>(row.size()));
  }
  return graph;
}

TEST(WedgeClosure, ShowsASmallCluster) {
  std::vector<std::set<Node>> rows = random_rows(0);
  constexpr Node clique = 12;
  for (Node i = 0; i < clique; ++i) {
    for (Node j = 0; j < i; ++j) {
      rows[i].insert(j);
      rows[j].insert(i);
    }
  }
  EXPECT_TRUE(answer(graph_of(rows), 0, 1).first);
}

/// A row that holds its own node, or is far longer than the others, is no sign of clusters.
TEST(WedgeClosure, SeldomShowsLoopsAndHubs) {
  for (const Node n_hubs : {0, 5}) {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      std::vector<std::set<Node>> rows = random_rows(seed);
      Random random(seed);
      for (Node i = 0; i < n_nodes && n_hubs == 0; ++i) rows[i].insert(i);
      for (Node hub = 0; hub < n_hubs; ++hub) {
        for (Node i = n_hubs; i < n_nodes; ++i) {
          if (random.uniform() > 0.1) continue;
          rows[hub].insert(i);
          rows[i].insert(hub);
        }
      }
      found += answer(graph_of(rows), seed, 1).first;
    }
    EXPECT_LE(found, 1) << n_hubs;
  }
}

TEST(WedgeClosure, IsTheSameOnAnyNumberOfThreads) {
  for (const Node group : {Node{100}, n_nodes}) {
    const OwnedGraph graph = graph_of_groups(3, group);
    EXPECT_EQ(answer(graph, 3, 3), answer(graph, 3, 1));
  }
}

/// The mean over one node in ten of the triangles on its edges, from the rows.
double mean_triangles(const std::vector<std::set<Node>>& rows) {
  double sum = 0, nodes = 0;
  for (Node i = 0; i < std::ssize(rows); i += 10) {
    if (rows[i].size() < 2) continue;
    double on_edges = 0;
    for (const Node j : rows[i]) {
      for (const Node k : rows[i]) on_edges += j != k && rows[j].contains(k);
    }
    sum += on_edges / static_cast<double>(rows[i].size());
    ++nodes;
  }
  return sum / nodes;
}

TEST(WedgeClosure, EstimatesTheTrianglesOnAnEdge) {
  for (const Node group : {50, 1000}) {
    const SmallGraph small = sparse_graph(1, n_nodes, group);
    std::vector<std::set<Node>> rows(n_nodes);
    for (Node i = 0; i < n_nodes; ++i) {
      rows[i].insert(small.indices.begin() + small.offsets[i],
                     small.indices.begin() + small.offsets[i + 1]);
    }
    Never never;
    Ticker ticker(never);
    ThreadTeam team(1);
    Random random(1);
    const double estimated = wedge_closure(graph_of(rows), random, team, ticker).triangles;
    EXPECT_NEAR(estimated, mean_triangles(rows), 0.02 + 0.1 * mean_triangles(rows)) << group;
  }
}

TEST(WedgeClosure, EndsAsSoonAsTheAnswerIsPlain) {
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
