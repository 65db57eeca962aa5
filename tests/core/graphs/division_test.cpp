#include "graphs/division.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "support.hpp"

namespace powercut::testing {
namespace {

/// A vector of bool has no array.
struct Flags {
  std::vector<char> values;
  std::span<const bool> span() const {
    return {reinterpret_cast<const bool*>(values.data()), values.size()};
  }
};

/// Several clusters of 40 nodes, i % clusters, without weights.
SmallGraph planted(Node clusters, std::uint64_t seed) {
  const Node n = 40 * clusters;
  Random random(seed);
  std::vector<double> matrix(static_cast<std::size_t>(n) * n, 0);
  for (Node i = 0; i < n; ++i) {
    for (Node j = 0; j < i; ++j) {
      if (random.uniform() < (i % clusters == j % clusters ? 0.4 : 0.02)) {
        matrix[i * n + j] = matrix[j * n + i] = 1;
      }
    }
  }
  return SmallGraph::from_matrix(n, matrix);
}

GraphView unweighted(const SmallGraph& graph) {
  return GraphView::compressed(graph.n, graph.offsets.data(), true, graph.indices.data(),
                               wide_nodes, nullptr, GraphView::Stored::none);
}

/// A block model whose background is that of `planted`.
struct Blocks {
  double background = 0.02;
  Objective objective() const { return {"bernoulli", {&background, 1}, 1, 0.2, 1}; }
};

std::vector<Label> divided(const SmallGraph& graph, const GraphView& view,
                           const std::vector<Label>& labels, Label n_labels, const Flags& divisible,
                           int n_threads = 1, const Blocks& blocks = {}) {
  Never never;
  std::vector<Label> pieces(labels.size());
  const Label n = divide(view, graph.nodes(), labels, n_labels, divisible.span(),
                         blocks.objective(), n_threads, 7, pieces, never);
  EXPECT_EQ(number_of_clusters(pieces), static_cast<std::size_t>(n));
  return pieces;
}

TEST(Divide, FindsTheClustersInACluster) {
  const SmallGraph graph = planted(6, 1);
  for (const GraphView& view : {unweighted(graph), graph.view()}) {
    const std::vector<Label> pieces =
        divided(graph, view, std::vector<Label>(graph.n, 0), 1, {{1}});
    for (Node i = 0; i < graph.n; ++i) EXPECT_EQ(pieces[i] == pieces[0], i % 6 == 0) << i;
    EXPECT_EQ(number_of_clusters(pieces), 6U);
  }
}

TEST(Divide, KeepsSingleClustersAndThoseNotDivisible) {
  const SmallGraph one = planted(1, 2);
  EXPECT_EQ(
      number_of_clusters(divided(one, unweighted(one), std::vector<Label>(one.n, 0), 1, {{1}})),
      1U);

  const SmallGraph graph = planted(4, 3);
  std::vector<Label> halves(graph.n);
  for (Node i = 0; i < graph.n; ++i) halves[i] = i % 4 / 2;
  const std::vector<Label> pieces = divided(graph, unweighted(graph), halves, 2, {{0, 1}});
  for (Node i = 0; i < graph.n; ++i) EXPECT_EQ(pieces[i] == 0, halves[i] == 0);
  EXPECT_EQ(number_of_clusters(pieces), 3U);
}

TEST(Divide, GivesTheSameSubclustersOnAnyNumberOfThreads) {
  const SmallGraph graph = planted(12, 4);
  std::vector<Label> thirds(graph.n);
  for (Node i = 0; i < graph.n; ++i) thirds[i] = i % 12 / 4;
  const Flags all{{1, 1, 1}};
  const std::vector<Label> pieces = divided(graph, unweighted(graph), thirds, 3, all);
  EXPECT_EQ(number_of_clusters(pieces), 12U);
  for (const int n_threads : {2, 5}) {
    EXPECT_EQ(divided(graph, unweighted(graph), thirds, 3, all, n_threads), pieces);
  }
}

/// So large that wedges are sampled, and nodes joined in stars.
TEST(Divide, FindsTheClustersOfAGraphWithFewTriangles) {
  constexpr Node n = 6000, group = 600, small = 8;
  SmallGraph graph = sparse_graph(6, n, group);
  std::vector<std::set<Node>> rows(n);
  for (Node i = 0; i < n; ++i) {
    rows[i].insert(graph.indices.begin() + graph.offsets[i],
                   graph.indices.begin() + graph.offsets[i + 1]);
  }
  // A small cluster among the last nodes, which have no other edges to their group.
  for (Node i = n - small; i < n; ++i) {
    for (const Node other : std::set<Node>(rows[i])) {
      if (other < n - group) continue;
      rows[i].erase(other);
      rows[other].erase(i);
    }
  }
  for (Node i = n - small; i < n; ++i) {
    for (Node j = n - small; j < n; ++j) {
      if (i != j) rows[i].insert(j);
    }
  }
  graph.offsets.assign(1, 0);
  graph.indices.clear();
  graph.volume.clear();
  for (const std::set<Node>& row : rows) {
    graph.indices.insert(graph.indices.end(), row.begin(), row.end());
    graph.offsets.push_back(std::ssize(graph.indices));
    graph.volume.push_back(static_cast<double>(row.size()));
  }
  const std::vector<Label> labels(n, 0);
  const Blocks blocks{4.0 / n};
  const std::vector<Label> pieces = divided(graph, unweighted(graph), labels, 1, {{1}}, 1, blocks);
  std::vector<Label> planted(n);
  for (Node i = 0; i < n; ++i) planted[i] = i < n - small ? i / group : n / group;
  Node misplaced = 0;
  for (Node first = 0; first < n; first += group) {
    for (Node i = first; i < first + group; ++i) {
      misplaced += (pieces[i] == pieces[first]) != (planted[i] == planted[first]);
    }
  }
  EXPECT_LE(misplaced, n / 100);
  for (Node i = 0; i < n; ++i) EXPECT_EQ(pieces[i] == pieces[n - 1], i >= n - small) << i;
  EXPECT_EQ(divided(graph, unweighted(graph), labels, 1, {{1}}, 3, blocks), pieces);
}

TEST(Divide, CanBeCancelled) {
  const SmallGraph graph = planted(12, 5);
  const std::vector<Label> labels(graph.n, 0);
  std::vector<Label> pieces(graph.n);
  AfterRequests soon(0);
  const Flags all{{1}};
  EXPECT_THROW(divide(unweighted(graph), graph.nodes(), labels, 1, all.span(), Blocks().objective(),
                      2, 7, pieces, soon),
               Cancelled);
}

}  // namespace
}  // namespace powercut::testing
