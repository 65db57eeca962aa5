#include "vectors/lloyd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "search/lloyd_support.hpp"

namespace powercut {
namespace {

using testing::expect_compact;
using testing::expect_falling;
using testing::in_points;
using testing::many_passes;
using testing::naive_objective;
using testing::Never;
using testing::priors;
using testing::random_labels;
using testing::random_points;
using testing::random_weights;
using testing::SmallPoints;
using testing::weighted_points;

TEST(LloydPoints, ByHandOnThreePoints) {
  // From one cluster with mean 11/3: points 0 and 1 are cheaper as singletons, and point 10, the
  // only member left, stays at distance 0.
  const SmallPoints points{3, 1, {0, 1, 10}, {}, {}};
  std::vector<Label> labels{0, 0, 0};
  const std::vector<double> path = in_points(points, labels, 1, {1, 0.5, 1});
  EXPECT_EQ(labels, (std::vector<Label>{0, 1, 2}));
  ASSERT_EQ(path.size(), 2U);
  EXPECT_NEAR(path[0], 101 - 121.0 / 3 - std::log(0.5) - std::log(1.5), 1e-12);
  EXPECT_NEAR(path[1], -std::log(1.5) - std::log(2.0), 1e-12);
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
  const PriorParameters prior{1e-6, 0,
                              0.3};  // new clusters are expensive, so there are many passes
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
  for (int v = 0; v < 200; ++v) {
    points.values.push_back(static_cast<double>(random.below(160)) / 16);
  }
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

}  // namespace
}  // namespace powercut
