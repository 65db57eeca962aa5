#include "lloyd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "points_support.hpp"
#include "prior.hpp"

namespace powercut {
namespace {

using testing::AfterRequests;
using testing::Listener;
using testing::naive_objective;
using testing::Never;
using testing::random_labels;
using testing::random_points;
using testing::random_weights;
using testing::SmallGraph;
using testing::SmallPoints;

constexpr int many_passes = 1000;

std::vector<double> in_points(const SmallPoints& points, std::vector<Label>& labels, Label n_labels,
                              const PriorParameters& prior, int max_passes = many_passes) {
  Never never;
  return lloyd_points(points.view(), labels, n_labels, prior, max_passes, never);
}

/// Through M = W X X' W, for which K = X X' is the linear kernel.
std::vector<double> in_kernel(const SmallPoints& points, std::vector<Label>& labels, Label n_labels,
                              const PriorParameters& prior, int max_passes = many_passes) {
  const Node n = points.n, d = points.dimensions;
  const std::vector<double> weight =
      points.weight.empty() ? std::vector<double>(n, 1) : points.weight;
  std::vector<double> matrix(n * n, 0);
  for (Node i = 0; i < n; ++i) {
    for (Node j = 0; j < n; ++j) {
      for (Node k = 0; k < d; ++k) {
        matrix[i * n + j] +=
            weight[i] * weight[j] * points.values[i * d + k] * points.values[j * d + k];
      }
    }
  }
  Never never;
  return lloyd_kernel(GraphView::dense(n, n, matrix.data(), GraphView::Stored::float64),
                      std::vector<double>(n, 0), weight, labels, n_labels, prior, max_passes,
                      never);
}

const std::vector<PriorParameters> priors{{1.5, 0.4, 0.5}, {1.5, 0.4, 5}, {5, 0, 15}, {1, 0.8, 60}};

SmallPoints weighted_points(std::uint64_t seed, Node n, Node dimensions) {
  SmallPoints points = random_points(seed, n, dimensions);
  points.weight = random_weights(seed + 100, n);
  return points;
}

/// Every label below the largest is in use, in the order of first members.
void expect_compact(const std::vector<Label>& labels) {
  Label next = 0;
  for (const Label c : labels) {
    ASSERT_LE(c, next);
    if (c == next) ++next;
  }
}

void expect_falling(const std::vector<double>& path) {
  for (std::size_t pass = 1; pass < path.size(); ++pass) {
    EXPECT_LE(path[pass], path[pass - 1] + 1e-10 * (1 + std::abs(path[pass])));
  }
}

TEST(LloydPoints, ByHandOnThreePoints) {
  // From one cluster at 11/3: point 0 pays less alone, so does point 1 after it,
  // and point 10, the only one left, stays at distance 0.
  const SmallPoints points{3, 1, {0, 1, 10}, {}, {}};
  std::vector<Label> labels{0, 0, 0};
  const std::vector<double> path = in_points(points, labels, 1, {1, 0.5, 1});
  EXPECT_EQ(labels, (std::vector<Label>{0, 1, 2}));
  ASSERT_EQ(path.size(), 2U);
  EXPECT_NEAR(path[0], 101 - 121.0 / 3 - std::log(0.5) - std::log(1.5), 1e-12);
  EXPECT_NEAR(path[1], -std::log(1.5) - std::log(2.0), 1e-12);
}

TEST(Lloyd, NewClusterKeepsItsMeanAtTheFoundingPointWithinThePass) {
  // Point 10 founds a cluster and 12 joins it. Its mean would be at 11 by now, near enough
  // for 14.3 to join too; at 10 it is too far, and 14.3 founds its own until the next pass.
  const SmallPoints points{9, 1, {0, 0, 0, 0, 0, 0, 10, 12, 14.3}, {}, {}};
  const PriorParameters prior{0.1, 0, 6};
  for (const auto& passes : {in_points, in_kernel}) {
    std::vector<Label> labels(9, 0);
    passes(points, labels, 1, prior, 1);
    ASSERT_EQ(labels, (std::vector<Label>{0, 0, 0, 0, 0, 0, 1, 1, 2}));
    passes(points, labels, 3, prior, 1);
    EXPECT_EQ(labels, (std::vector<Label>{0, 0, 0, 0, 0, 0, 1, 1, 1}));
  }
}

TEST(Lloyd, OnlyMemberLeftIsAtDistanceZero) {
  // Points 0 and 3 leave the mean at 7/3 for clusters of their own. To the mean that it
  // was left with, 4 has farther than to 3; but that mean will follow it, so it stays.
  const SmallPoints points{3, 1, {0, 3, 4}, {}, {}};
  for (const auto& passes : {in_points, in_kernel}) {
    std::vector<Label> labels{0, 0, 0};
    passes(points, labels, 1, {1, 0.5, 1}, 1);
    EXPECT_EQ(labels, (std::vector<Label>{0, 1, 2}));
  }
}

TEST(LloydPoints, JNeverRisesAndIsThatOfTheLabels) {
  std::size_t passes = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (const SmallPoints& points : {random_points(seed, 50, 3), weighted_points(seed, 50, 3)}) {
      for (const PriorParameters& prior : priors) {
        for (const auto& [start, n_labels] : {std::pair{std::vector<Label>(points.n, 0), 1},
                                              std::pair{random_labels(seed, points.n, 4), 4}}) {
          std::vector<Label> labels = start;
          const std::vector<double> path = in_points(points, labels, n_labels, prior);
          expect_falling(path);
          EXPECT_NEAR(path.front(), naive_objective(points, start, prior), 1e-9);
          EXPECT_NEAR(path.back(), naive_objective(points, labels, prior), 1e-9);
          if (labels != start) expect_compact(labels);
          passes += path.size() - 1;
        }
      }
    }
  }
  EXPECT_GT(passes, 200U);
}

TEST(LloydPoints, EveryValueOfThePathIsThatOfItsPass) {
  SmallPoints points = random_points(3, 60, 2, 1);
  points.weight = random_weights(4, points.n);
  const PriorParameters prior{1e-6, 0, 0.3};  // new clusters are dear, so passes are many
  const std::vector<Label> start = random_labels(5, points.n, 6);
  std::vector<Label> labels = start;
  const std::vector<double> path = in_points(points, labels, 6, prior);
  ASSERT_GT(path.size(), 3U);
  for (std::size_t pass = 0; pass < path.size(); ++pass) {
    std::vector<Label> so_far = start;
    const auto part = in_points(points, so_far, 6, prior, static_cast<int>(pass));
    EXPECT_EQ(part, std::vector<double>(path.begin(), path.begin() + pass + 1));
    EXPECT_NEAR(part.back(), naive_objective(points, so_far, prior), 1e-9);
  }
}

TEST(LloydPoints, ReadSinglePrecision) {
  Random random(9);
  SmallPoints points{40, 5, {}, {}, {}};
  for (int v = 0; v < 200; ++v)
    points.values.push_back(static_cast<double>(random.below(160)) / 16);
  const std::vector<float> single(points.values.begin(), points.values.end());
  PointsView view = points.view();
  view.values = single.data();
  view.single_precision = true;
  Never never;
  std::vector<Label> labels(points.n, 0), single_labels(points.n, 0);
  const auto path = in_points(points, labels, 1, {1.5, 0.4, 20});
  EXPECT_EQ(lloyd_points(view, single_labels, 1, {1.5, 0.4, 20}, many_passes, never), path);
  EXPECT_EQ(single_labels, labels);
  EXPECT_GT(path.size(), 1U);
}

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

/// A graph whose matrix a large enough diagonal makes positive definite, with weights.
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
  // Sparse rows look at far clusters only where they could win: the labels must not tell.
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
  // No edges. Clusters of 2, 4 and 4 nodes: the first two nodes join the second cluster, which
  // only then, at 6, is large enough for the nodes of the third.
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

TEST(Lloyd, EndsAfterMaxPasses) {
  const SmallPoints points = random_points(1, 60, 2);
  std::vector<Label> labels(points.n, 0), untouched(points.n, 0);
  EXPECT_EQ(in_points(points, labels, 1, {1.5, 0.4, 2}, 2).size(), 3U);
  EXPECT_EQ(in_points(points, untouched, 1, {1.5, 0.4, 2}, 0).size(), 1U);
  EXPECT_EQ(untouched, std::vector<Label>(points.n, 0));
}

TEST(Lloyd, SaysWhereItIs) {
  const SmallPoints points = random_points(1, 200, 4, 5);
  const PriorParameters prior{1.5, 0.4, 2};
  Listener listener;
  std::vector<Label> labels(points.n, 0);
  const std::vector<double> path =
      lloyd_points(points.view(), labels, 1, prior, many_passes, listener);
  const double constant = Prior(1.5, 0.4, 2, points.n).constant();
  ASSERT_EQ(listener.heard.size(), path.size());
  for (std::size_t pass = 0; pass < path.size(); ++pass) {
    const Round& round = listener.heard[pass];
    EXPECT_EQ(round.size, points.n);
    EXPECT_EQ(round.round, static_cast<Count>(pass));
    EXPECT_EQ(round.moves > 0, pass > 0);
    EXPECT_DOUBLE_EQ(round.objective, path[pass] + constant);
  }
}

TEST(Lloyd, CancelledLeavesAValidPartition) {
  const SmallPoints points = random_points(1, 500, 8, 5);
  AfterRequests cancel(1);
  std::vector<Label> labels = random_labels(1, points.n, 20);
  EXPECT_THROW(lloyd_points(points.view(), labels, 20, {1.5, 0.4, 2}, many_passes, cancel),
               Cancelled);
  for (const Label c : labels) ASSERT_TRUE(c >= 0 && c < 20 + points.n);

  const SmallGraph graph = SmallGraph::from_matrix(300, std::vector<double>(90'000, 1));
  AfterRequests kernel_cancel(0);
  std::vector<Label> kernel_labels = random_labels(1, 300, 20);
  EXPECT_THROW(lloyd_kernel(graph.view(), std::vector<double>(300, 0), std::vector<double>(300, 1),
                            kernel_labels, 20, {1.5, 0.4, 2}, many_passes, kernel_cancel),
               Cancelled);
  for (const Label c : kernel_labels) ASSERT_TRUE(c >= 0 && c < 320);
}

}  // namespace
}  // namespace powercut
