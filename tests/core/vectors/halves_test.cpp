#include "vectors/halves.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "vectors/points_support.hpp"

namespace powercut {
namespace {

using testing::Never;
using testing::random_labels;
using testing::random_points;
using testing::SmallPoints;

std::vector<Label> halves_of(const SmallPoints& points, const std::vector<Label>& labels,
                             Label n_labels, std::uint64_t seed, int n_threads = 1) {
  Random random(seed);
  std::vector<double> first(points.n), second(points.n);
  for (double& key : first) key = random.uniform();
  for (double& key : second) key = random.uniform();
  Never never;
  Ticker ticker(never);
  ThreadTeam team(n_threads);
  return halve(points.view(), labels, n_labels, {first, second}, 2, team, ticker);
}

TEST(Halve, SeparatesTwoClouds) {
  const SmallPoints points = random_points(0, 60, 3, 2);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Label> halves = halves_of(points, std::vector<Label>(60, 0), 1, seed);
    for (Node i = 0; i < points.n; ++i) EXPECT_EQ(halves[i] == halves[0], i % 2 == 0);
  }
}

TEST(Halve, KeepsEachPointInItsCluster) {
  const SmallPoints points = random_points(1, 90, 2);
  const std::vector<Label> labels = random_labels(2, points.n, 40);  // some are empty or singletons
  const std::vector<Label> halves = halves_of(points, labels, 41, 3);
  for (Node i = 0; i < points.n; ++i) EXPECT_EQ(halves[i] / 2, labels[i]);
}

TEST(Halve, LeavesEqualPointsTogether) {
  SmallPoints points{8, 2, std::vector<double>(16, 1.5), {}, {}};
  const std::vector<Label> halves = halves_of(points, std::vector<Label>(8, 0), 1, 0);
  EXPECT_EQ(halves, std::vector<Label>(8, halves[0]));
}

TEST(Halve, DoesNotDependOnTheNumberOfThreads) {
  const SmallPoints points = random_points(4, 20000, 3);
  const std::vector<Label> labels = random_labels(5, points.n, 7);
  EXPECT_EQ(halves_of(points, labels, 8, 6, 1), halves_of(points, labels, 8, 6, 3));
}

}  // namespace
}  // namespace powercut
