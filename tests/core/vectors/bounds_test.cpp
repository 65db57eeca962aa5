#include "vectors/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "vectors/points_support.hpp"
#include "vectors/scored_clusters.hpp"
#include "vectors/scores.hpp"

namespace powercut {
namespace {

using testing::expectations;
using testing::Expected;
using testing::Never;
using testing::random_labels;
using testing::random_points;
using testing::random_weights;
using testing::SmallPoints;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr PriorParameters prior{2, 0.3, 1.5};

/// All bounds and the costs that they bound, for points and clusters of all sizes.
struct Bounds {
  std::vector<double> bound;
  std::vector<double> cost;
};

template <class Score, class... Parameters>
Bounds bounds_of(const PointsView& points, Label n_labels, Parameters&... parameters) {
  std::vector<Label> labels = random_labels(1, points.n, n_labels - 2);
  for (Label& c : labels) c = c < 3 ? 0 : c;
  labels[0] = n_labels - 2;  // a singleton; the last label is unused
  Never never;
  Ticker ticker(never);
  ThreadTeam team(1);
  ScoredVectorClusters<Score> clusters(points, n_labels, prior, parameters...);
  clusters.set(point_groups(points, labels, n_labels, Score::squares, team, ticker));
  std::vector<double> buffer;
  const auto moving = [&](Node i) {
    return WeightedPoint{points.row(i, buffer), points.weight_of(i), nullptr};
  };
  clusters.move(labels[1], clusters.open(), moving(1), 1);
  clusters.move(labels[2], 0, moving(2), 1);

  std::vector<Node> rows(points.n);
  std::iota(rows.begin(), rows.end(), 0);
  const CostBounds& bounds = *clusters.bounds();
  CostBounds::Tile tile;
  bounds.evaluate(points, rows, tile);
  Bounds all;
  for (const Node i : rows) {
    for (Label c = 0; c < clusters.n_labels(); ++c) {
      if (clusters.is_empty(c)) {
        EXPECT_EQ(bounds.row_bounds(tile, i)[c], infinity);
        continue;
      }
      all.bound.push_back(bounds.row_bounds(tile, i)[c]);
      all.cost.push_back(bounds.in_units(clusters.join(c, moving(i), 1, infinity)));
    }
  }
  return all;
}

/// Bounds do not exceed the costs, and most are lower by at most a fraction of the range of costs.
void expect_bounds(const Bounds& all, double part) {
  const auto [low, high] = std::ranges::minmax(all.cost);
  std::size_t near = 0;
  for (std::size_t k = 0; k < all.cost.size(); ++k) {
    EXPECT_LE(all.bound[k], all.cost[k]);
    near += all.bound[k] >= all.cost[k] - part * (high - low);
  }
  EXPECT_GT(2 * near, all.cost.size());
}

Bounds gaussian_bounds(const PointsView& points, Label n_labels, const Expected& expected) {
  const GaussianParameters parameters = expected.view();
  Never never;
  switch (expected.covariance) {
    case Covariance::diagonal:
      return bounds_of<DiagonalClusters>(points, n_labels, parameters, never);
    case Covariance::spherical:
      return bounds_of<SphericalClusters>(points, n_labels, parameters, never);
    default: return bounds_of<FullClusters>(points, n_labels, parameters, never);
  }
}

TEST(CostBounds, BoundsAreNeverAboveTheCosts) {
  for (const Node dimensions : {1, 3, 8, 19}) {
    for (const Label n_labels : {4, 18, 40}) {
      SmallPoints points = random_points(dimensions, 67, dimensions, 5);
      for (const Expected& expected : expectations(dimensions)) {
        const double part = expected.covariance == Covariance::full ? 1 : 0.5;
        expect_bounds(gaussian_bounds(points.view(), n_labels, expected), part);
      }
      expect_bounds(bounds_of<KMeansClusters>(points.view(), n_labels), 1e-4);
      points.weight = random_weights(4, points.n);
      expect_bounds(bounds_of<KMeansClusters>(points.view(), n_labels), 0.5);
    }
  }
}

TEST(CostBounds, BoundsHoldForNumbersTooSmallTooLargeAndFarAway) {
  const SmallPoints usual = random_points(3, 50, 5, 5);
  for (const double factor : {1e-160, 1e-30, 1e-15, 1e15, 1e30, 1e150}) {
    SmallPoints points = usual;
    for (double& value : points.values) value *= factor;
    const Bounds all = bounds_of<KMeansClusters>(points.view(), 9);
    for (std::size_t k = 0; k < all.cost.size(); ++k) EXPECT_LE(all.bound[k], all.cost[k]);
  }
  for (const double shift : {1e3, 1e6, 1e9}) {
    SmallPoints points = usual;
    for (double& value : points.values) value += shift;
    points.values[0] += 100 * shift;
    const Bounds all = bounds_of<KMeansClusters>(points.view(), 9);
    for (std::size_t k = 0; k < all.cost.size(); ++k) EXPECT_LE(all.bound[k], all.cost[k]);
    for (const Expected& expected : expectations(5)) {
      const Bounds gaussian = gaussian_bounds(points.view(), 9, expected);
      for (std::size_t k = 0; k < gaussian.cost.size(); ++k) {
        EXPECT_LE(gaussian.bound[k], gaussian.cost[k]);
      }
    }
  }
}

TEST(CostBounds, GroupsHaveNoBounds) {
  SmallPoints points = random_points(3, 20, 2, 5);
  const std::vector<Label> labels(20, 0);
  points.count.assign(20, 2);
  EXPECT_EQ(ScoredVectorClusters<KMeansClusters>(points.view(), 1, prior).bounds(), nullptr);
  points.count.clear();
  const Expected expected = expectations(2)[0];
  const GaussianParameters parameters = expected.view();
  Never never;
  EXPECT_NE(
      ScoredVectorClusters<DiagonalClusters>(points.view(), 1, prior, parameters, never).bounds(),
      nullptr);
  points.weight.assign(20, 1.5);
  EXPECT_EQ(
      ScoredVectorClusters<DiagonalClusters>(points.view(), 1, prior, parameters, never).bounds(),
      nullptr);
}

}  // namespace
}  // namespace powercut
