#include "graphs/aggregation.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support.hpp"

namespace powercut {
namespace {

using testing::AfterRequests;
using testing::all_specs;
using testing::clusters_of;
using testing::naive_objective;
using testing::Never;
using testing::random_coarse_graph;
using testing::random_graph;
using testing::random_labels;
using testing::SmallGraph;
using testing::Spec;

/// The coarse graph as a SmallGraph.
SmallGraph coarsen(const SmallGraph& graph, const std::vector<Label>& labels, Label n_labels,
                   int n_threads = 1) {
  Never never;
  OwnedGraph coarse = aggregate(graph.view(), graph.nodes(), labels, n_labels, n_threads, never);
  return {n_labels,
          {coarse.offsets.begin(), coarse.offsets.end()},
          {coarse.indices.begin(), coarse.indices.end()},
          {coarse.weights.begin(), coarse.weights.end()},
          {coarse.volume.begin(), coarse.volume.end()},
          {coarse.weight.begin(), coarse.weight.end()},
          {coarse.count.begin(), coarse.count.end()}};
}

/// Labels that use every one of n_labels.
std::vector<Label> filling_labels(std::uint64_t seed, Node n, Label n_labels) {
  std::vector<Label> labels = random_labels(seed, n, n_labels);
  for (Label c = 0; c < n_labels; ++c) labels[(c * 5) % n] = c;
  return labels;
}

TEST(JoinNodes, KeepsParallelEdges) {
  Never never;
  const SmallGraph graph = SmallGraph::from_matrix(4, {0, 1, 1, 0,  //
                                                       1, 0, 1, 0,  //
                                                       1, 1, 1, 1,  //
                                                       0, 0, 1, 0});
  const OwnedGraph joined =
      join_nodes(graph.view(), graph.nodes(), std::vector<Label>{1, 0, 1, 0}, 2, never);
  // Two edges between the groups at node 1, one at node 3; an edge and a loop inside group 1.
  EXPECT_EQ(joined.offsets, (LargeVector<Entry>{0, 3, 9}));
  EXPECT_EQ(joined.indices, (LargeVector<Node>{1, 1, 1, 0, 0, 0, 1, 1, 1}));
  EXPECT_TRUE(joined.weights.empty());
  EXPECT_EQ(joined.volume, (LargeVector<double>{3, 6}));
  EXPECT_EQ(joined.count, (LargeVector<Count>{2, 2}));
}

TEST(Aggregate, SumsTheNodeArrays) {
  SmallGraph graph = SmallGraph::from_matrix(4, {0, 1, 2, 0,  //
                                                 1, 0, 3, 0,  //
                                                 2, 3, 5, 7,  //
                                                 0, 0, 7, 0});
  graph.weight = {0.5, 1, 0.25, 2};
  graph.count = {1, 2, 3, 4};
  const SmallGraph coarse = coarsen(graph, {1, 0, 1, 0}, 2);
  EXPECT_EQ(coarse.volume, (std::vector<double>{4 + 7, 3 + 17}));
  EXPECT_EQ(coarse.weight, (std::vector<double>{3, 0.75}));
  EXPECT_EQ(coarse.count, (std::vector<Count>{6, 4}));
  // Cluster 0 has no internal edges, so no entry for itself; cluster 1 has 2 + 2 + 5.
  EXPECT_EQ(coarse.offsets, (std::vector<Entry>{0, 1, 3}));
  EXPECT_EQ(coarse.indices, (std::vector<Node>{1, 0, 1}));
  EXPECT_EQ(coarse.weights, (std::vector<double>{11, 11, 9}));
}

TEST(Aggregate, CountsOnesAndLeavesAbsentWeightsAbsent) {
  const SmallGraph graph = random_graph(1, 12);
  const SmallGraph coarse = coarsen(graph, {0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3}, 4);
  EXPECT_EQ(coarse.count, (std::vector<Count>{5, 4, 2, 1}));
  EXPECT_TRUE(coarse.weight.empty());
}

TEST(Aggregate, CoarsePartitionsHaveTheJOfTheFineOnes) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const SmallGraph& graph : {random_graph(seed, 22), random_coarse_graph(seed, 22)}) {
      const std::vector<Label> labels = filling_labels(seed, graph.n, 9);
      const SmallGraph coarse = coarsen(graph, labels, 9);
      const std::vector<Label> coarse_labels = random_labels(seed + 7, 9, 4);
      std::vector<Label> projected;
      for (const Label c : labels) projected.push_back(coarse_labels[c]);
      for (const Spec& spec : all_specs(graph)) {
        EXPECT_NEAR(naive_objective(coarse, coarse_labels, spec),
                    naive_objective(graph, projected, spec), 1e-11)
            << spec.score;
        const auto clusters = clusters_of(coarse, coarse_labels, 4);
        EXPECT_NEAR(objective(spec.objective(), clusters), naive_objective(graph, projected, spec),
                    1e-11)
            << spec.score;
      }
    }
  }
}

TEST(Aggregate, TwiceIsOnceThroughBoth) {
  const SmallGraph graph = random_coarse_graph(5, 30);
  const std::vector<Label> fine = filling_labels(5, 30, 10);
  const std::vector<Label> coarse_labels = filling_labels(6, 10, 3);
  std::vector<Label> projected;
  for (const Label c : fine) projected.push_back(coarse_labels[c]);
  const SmallGraph twice = coarsen(coarsen(graph, fine, 10), coarse_labels, 3);
  const SmallGraph once = coarsen(graph, projected, 3);
  EXPECT_EQ(twice.count, once.count);
  for (const Spec& spec : all_specs(graph)) {
    EXPECT_NEAR(naive_objective(twice, std::vector<Label>{0, 1, 0}, spec),
                naive_objective(once, std::vector<Label>{0, 1, 0}, spec), 1e-11);
  }
}

TEST(Aggregate, IsTheSameOnAnyNumberOfThreads) {
  // A million entries: several parts per thread, several times.
  const SmallGraph graph = random_graph(2, 2500, 3);
  ASSERT_GT(graph.indices.size(), 1'000'000U);
  const std::vector<Label> labels = filling_labels(4, graph.n, 900);
  const SmallGraph alone = coarsen(graph, labels, 900);
  for (const int n_threads : {2, 3}) {
    const SmallGraph several = coarsen(graph, labels, 900, n_threads);
    EXPECT_EQ(several.offsets, alone.offsets);
    EXPECT_EQ(several.indices, alone.indices);
    EXPECT_EQ(several.weights, alone.weights);
  }
}

TEST(Aggregate, CanBeCancelled) {
  const SmallGraph graph = SmallGraph::from_matrix(300, std::vector<double>(90'000, 1));
  AfterRequests token(0);
  EXPECT_THROW(aggregate(graph.view(), graph.nodes(), std::vector<Label>(300, 0), 1, 1, token),
               Cancelled);
}

}  // namespace
}  // namespace powercut
