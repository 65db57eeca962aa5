#include "search/lloyd_passes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "search/lloyd_support.hpp"

namespace powercut {
namespace {

using testing::AfterRequests;
using testing::in_kernel;
using testing::in_points;
using testing::many_passes;
using testing::ProgressRecorder;
using testing::random_labels;
using testing::random_points;
using testing::SmallGraph;
using testing::SmallPoints;

TEST(Lloyd, NewClusterKeepsItsMeanAtTheOpeningPointWithinThePass) {
  // Point 10 opens a cluster and 12 joins it. An updated mean, 11, would be close enough for 14.3
  // to join too; 10 is too far, and 14.3 opens its own cluster until the next pass.
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
  // Points 0 and 3 leave the mean at 7/3 for new clusters. Point 4 is closer to 3 than to the old
  // mean; but as the only member it is at distance 0, so it stays.
  const SmallPoints points{3, 1, {0, 3, 4}, {}, {}};
  for (const auto& passes : {in_points, in_kernel}) {
    std::vector<Label> labels{0, 0, 0};
    passes(points, labels, 1, {1, 0.5, 1}, 1);
    EXPECT_EQ(labels, (std::vector<Label>{0, 1, 2}));
  }
}

TEST(Lloyd, EndsAfterMaxPasses) {
  const SmallPoints points = random_points(1, 60, 2);
  std::vector<Label> labels(points.n, 0), untouched(points.n, 0);
  EXPECT_EQ(in_points(points, labels, 1, {1.5, 0.4, 2}, 2).size(), 3U);
  EXPECT_EQ(in_points(points, untouched, 1, {1.5, 0.4, 2}, 0).size(), 1U);
  EXPECT_EQ(untouched, std::vector<Label>(points.n, 0));
}

TEST(Lloyd, ReportsProgress) {
  const SmallPoints points = random_points(1, 200, 4, 5);
  const PriorParameters prior{1.5, 0.4, 2};
  ProgressRecorder recorder;
  std::vector<Label> labels(points.n, 0);
  const std::vector<double> path =
      lloyd_points(points.view(), labels, 1, prior, many_passes, recorder);
  const double constant = Prior(1.5, 0.4, 2, points.n).constant();
  ASSERT_EQ(recorder.reports.size(), path.size());
  for (std::size_t pass = 0; pass < path.size(); ++pass) {
    const Progress& round = recorder.reports[pass];
    EXPECT_EQ(round.size, points.n);
    EXPECT_EQ(round.round, static_cast<Count>(pass));
    EXPECT_EQ(round.moves > 0, pass > 0);
    EXPECT_DOUBLE_EQ(round.objective, path[pass] + constant);
  }
}

TEST(Lloyd, CancelledLeavesAValidPartition) {
  const SmallPoints points = random_points(1, 500, 8, 5);
  AfterRequests token(1);
  std::vector<Label> labels = random_labels(1, points.n, 20);
  EXPECT_THROW(lloyd_points(points.view(), labels, 20, {1.5, 0.4, 2}, many_passes, token),
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
