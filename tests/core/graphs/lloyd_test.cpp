#include "graphs/lloyd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "search/lloyd_support.hpp"

namespace powercut {
namespace {

using testing::expect_compact;
using testing::expect_falling;
using testing::in_kernel;
using testing::in_points;
using testing::many_passes;
using testing::Never;
using testing::priors;
using testing::random_labels;
using testing::random_points;
using testing::random_weights;
using testing::SmallGraph;
using testing::SmallPoints;
using testing::weighted_points;

TEST(LloydKernel, OnTheLinearKernelIsThePointForm) {
  std::size_t passes = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const SmallPoints& points : {random_points(seed, 30, 3), weighted_points(seed, 30, 3)}) {
      for (const PriorParameters& prior : priors) {
        for (const auto& [start, n_labels] : {std::pair{std::vector<Label>(points.n, 0), 1},
                                              std::pair{random_labels(seed, points.n, 4), 4}}) {
          std::vector<Label> point_labels = start, kernel_labels = start;
          const auto point_path = in_points(points, point_labels, n_labels, prior);
          const auto kernel_path = in_kernel(points, kernel_labels, n_labels, prior);
          EXPECT_EQ(kernel_labels, point_labels);
          ASSERT_EQ(kernel_path.size(), point_path.size());
          for (std::size_t pass = 0; pass < point_path.size(); ++pass) {
            EXPECT_NEAR(kernel_path[pass], point_path[pass], 1e-8);
          }
          passes += point_path.size() - 1;
        }
      }
    }
  }
  EXPECT_GT(passes, 100U);
}

/// A graph with weights, and a diagonal that makes its matrix positive definite.
struct KernelGraph {
  SmallGraph graph;
  std::vector<double> diagonal;
  std::vector<double> weight;
};

KernelGraph random_kernel_graph(std::uint64_t seed, Node n) {
  KernelGraph kernel{testing::random_graph(seed, n, n / 6), {}, random_weights(seed + 1, n)};
  for (const double degree : kernel.graph.volume) kernel.diagonal.push_back(1.1 * degree);
  return kernel;
}

TEST(LloydKernel, SparseAndDenseRowsAreTheSameKernel) {
  // Sparse rows skip distant clusters that cannot win: the labels must be the same.
  std::size_t passes = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const KernelGraph kernel = random_kernel_graph(seed, 36);
    const Node n = kernel.graph.n;
    std::vector<double> matrix(n * n, 0);
    for (Node i = 0; i < n; ++i) {
      kernel.graph.view().for_each(i, [&](Node j, double w) { matrix[i * n + j] = w; });
      matrix[i * n + i] += kernel.diagonal[i];
    }
    const auto dense = GraphView::dense(n, n, matrix.data(), GraphView::Stored::float64);
    for (const double tradeoff : {0.05, 0.3, 1.0, 2.0, 4.0, 8.0}) {
      const PriorParameters prior{1.5, 0.4, tradeoff};
      for (const auto& [start, n_labels] :
           {std::pair{std::vector<Label>(n, 0), 1}, std::pair{random_labels(seed, n, 6), 6}}) {
        Never never;
        std::vector<Label> sparse_labels = start, dense_labels = start;
        const auto path = lloyd_kernel(kernel.graph.view(), kernel.diagonal, kernel.weight,
                                       sparse_labels, n_labels, prior, many_passes, never);
        const auto dense_path = lloyd_kernel(dense, std::vector<double>(n, 0), kernel.weight,
                                             dense_labels, n_labels, prior, many_passes, never);
        EXPECT_EQ(sparse_labels, dense_labels);
        ASSERT_EQ(path.size(), dense_path.size());
        EXPECT_NEAR(path.back(), dense_path.back(), 1e-9);
        expect_falling(path);
        if (sparse_labels != start) expect_compact(sparse_labels);
        passes += path.size() - 1;
      }
    }
  }
  EXPECT_GT(passes, 50U);
}

TEST(LloydKernel, FarClustersAreWeighedByTheSizesOfTheMoment) {
  // No edges. Clusters of 2, 4 and 4 nodes: the first two nodes join the second cluster, which only
  // then, at size 6, is large enough to attract the nodes of the third.
  const std::vector<Entry> offsets(11, 0);
  const GraphView no_edges = GraphView::compressed(10, offsets.data(), true, nullptr, false,
                                                   nullptr, GraphView::Stored::none);
  const std::vector<double> ones(10, 1);
  std::vector<Label> labels{0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
  Never never;
  lloyd_kernel(no_edges, ones, ones, labels, 3, {1e-3, 0, 1.3}, 1, never);
  EXPECT_EQ(labels, std::vector<Label>(10, 0));
}

TEST(LloydKernel, NodesWithoutWeightStayAndNobodyJoinsThem) {
  KernelGraph kernel = random_kernel_graph(1, 20);
  std::vector<Label> start(20, 0);
  kernel.weight[3] = kernel.weight[11] = 0;
  start[3] = 1;
  Never never;
  std::vector<Label> labels = start;
  const auto path = lloyd_kernel(kernel.graph.view(), kernel.diagonal, kernel.weight, labels, 2,
                                 {1.5, 0.4, 0.1}, many_passes, never);
  ASSERT_GT(path.size(), 1U);
  for (const double value : path) EXPECT_TRUE(std::isfinite(value));
  for (Node i = 0; i < 20; ++i) EXPECT_EQ(labels[i] == labels[3], i == 3) << i;
}

}  // namespace
}  // namespace powercut
