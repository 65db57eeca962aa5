#include "vectors/scored_clusters.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "vectors/kmeans.hpp"
#include "vectors/points_support.hpp"

namespace powercut {
namespace {

using testing::random_points;
using testing::SmallPoints;

TEST(ScoredVectorClusters, CountTheClustersThatChangedSinceAMove) {
  const SmallPoints points = random_points(1, 12, 2);
  const PointsView view = points.view();
  ScoredVectorClusters<KMeansClusters> clusters(view, 4, {1, 0, 1});
  std::vector<double> row;
  const auto move = [&](Label own, Label target, Node i) {
    clusters.move(own, target, {view.row(i, row), view.weight_of(i), view.scatter_of(i)}, 1);
  };
  clusters.set({.mean = std::vector<double>(8, 1.0),
                .weight = {3, 3, 3, 3},
                .count = {3, 3, 3, 3},
                .scatter = {},
                .dimensions = 2,
                .scatter_width = 0});
  EXPECT_EQ(clusters.n_changed_since(0), 0);
  move(0, 1, 0);
  EXPECT_EQ(clusters.n_changed_since(0), 2);
  move(1, 2, 1);
  EXPECT_EQ(clusters.n_changed_since(0), 3);
  EXPECT_EQ(clusters.n_changed_since(1), 2);
  EXPECT_EQ(clusters.n_changed_since(clusters.moves()), 0);
}

}  // namespace
}  // namespace powercut
