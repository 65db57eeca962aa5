#include "vectors/groups.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "vectors/points_support.hpp"

namespace powercut {
namespace {

using testing::Never;
using testing::random_labels;
using testing::random_points;
using testing::random_weights;
using testing::SmallPoints;

PointGroups groups_of(const PointsView& points, const std::vector<Label>& labels, Label n_labels,
                      Squares squares, int n_threads = 1) {
  Never never;
  Ticker ticker(never);
  ThreadTeam team(n_threads);
  return point_groups(points, labels, n_labels, squares, team, ticker);
}

/// Enough for groups to be summed in several pieces.
SmallPoints many_points() {
  SmallPoints points = random_points(1, 20000, 3);
  points.weight = random_weights(2, points.n);
  for (Node i = 0; i < points.n; ++i) points.count.push_back(1 + i % 3);
  return points;
}

TEST(PointGroups, HaveTheSumsOfTheirPoints) {
  const SmallPoints points = many_points();
  const std::size_t d = 3;
  std::vector<Label> labels = random_labels(3, points.n, 2);
  labels[7] = 3;  // a singleton; label 2 is unused
  const PointGroups groups = groups_of(points.view(), labels, 4, Squares::matrix);
  const PointGroups features = groups_of(points.view(), labels, 4, Squares::features);
  const PointGroups total = groups_of(points.view(), labels, 4, Squares::total);
  for (Label c = 0; c < 4; ++c) {
    double weight = 0, trace = 0;
    Count count = 0;
    std::vector<double> sum(d, 0);
    for (Node i = 0; i < points.n; ++i) {
      if (labels[i] != c) continue;
      weight += points.weight[i];
      count += points.count[i];
      for (std::size_t j = 0; j < d; ++j) sum[j] += points.weight[i] * points.values[i * d + j];
    }
    EXPECT_NEAR(groups.weight[c], weight, 1e-9 * weight);
    EXPECT_EQ(groups.count[c], count);
    for (std::size_t p = 0; p < d; ++p) {
      const double mean = weight == 0 ? 0 : sum[p] / weight;
      EXPECT_NEAR(groups.mean[c * d + p], mean, 1e-11);
      for (std::size_t q = 0; q < d; ++q) {
        double product = 0;
        for (Node i = 0; i < points.n; ++i) {
          if (labels[i] != c) continue;
          product += points.weight[i] * (points.values[i * d + p] - mean) *
                     (points.values[i * d + q] - sum[q] / weight);
        }
        EXPECT_NEAR(groups.scatter[c * d * d + p * d + q], product, 1e-9 * (1 + weight));
        if (p == q) {
          EXPECT_NEAR(features.scatter[c * d + p], product, 1e-9 * (1 + weight));
          trace += product;
        }
      }
    }
    EXPECT_NEAR(total.scatter[c], trace, 1e-9 * (1 + weight));
  }
  EXPECT_TRUE(groups_of(points.view(), labels, 4, Squares::none).scatter.empty());
}

TEST(PointGroups, OfGroupsKeepTheirScatter) {
  const SmallPoints points = many_points();
  std::vector<Label> fine = random_labels(3, points.n, 40), coarse(points.n), of_fine(40);
  for (Label c = 0; c < 40; ++c) of_fine[c] = c % 3;
  for (Node i = 0; i < points.n; ++i) coarse[i] = fine[i] % 3;
  for (const Squares squares : {Squares::total, Squares::features, Squares::matrix}) {
    const PointGroups once = groups_of(points.view(), coarse, 3, squares);
    const PointGroups parts = groups_of(points.view(), fine, 40, squares);
    const PointsView view{40,
                          3,
                          parts.mean.data(),
                          false,
                          parts.weight.data(),
                          parts.count.data(),
                          parts.scatter.data(),
                          parts.scatter_width};
    const PointGroups twice = groups_of(view, of_fine, 3, squares);
    EXPECT_EQ(twice.count, once.count);
    for (std::size_t j = 0; j < once.mean.size(); ++j) {
      EXPECT_NEAR(twice.mean[j], once.mean[j], 1e-10);
    }
    for (std::size_t j = 0; j < once.scatter.size(); ++j) {
      EXPECT_NEAR(twice.scatter[j], once.scatter[j], 1e-6);
    }
  }
}

TEST(PointGroups, AreTheSameOnAnyNumberOfThreads) {
  const SmallPoints points = many_points();
  const std::vector<Label> labels = random_labels(3, points.n, 5);
  const PointGroups alone = groups_of(points.view(), labels, 5, Squares::features);
  for (const int n_threads : {2, 3, 8}) {
    const PointGroups together = groups_of(points.view(), labels, 5, Squares::features, n_threads);
    EXPECT_EQ(together.mean, alone.mean);
    EXPECT_EQ(together.scatter, alone.scatter);
  }
}

TEST(PointGroups, AddOtherGroups) {
  const SmallPoints all = many_points();
  const Node n = all.n, half = n / 2, d = all.dimensions;
  const std::vector<Label> labels = random_labels(4, n, 5);
  const auto part = [&](Node begin, Node end) {
    return PointsView{end - begin,      d, &all.values[begin * d], false, &all.weight[begin],
                      &all.count[begin]};
  };
  const std::vector<Label> first(labels.begin(), labels.begin() + half);
  const std::vector<Label> second(labels.begin() + half, labels.end());
  for (const Squares squares :
       {Squares::none, Squares::total, Squares::features, Squares::matrix}) {
    const PointGroups expected = groups_of(all.view(), labels, 6, squares);
    const PointGroups others = groups_of(part(half, n), second, 6, squares);
    PointGroups groups = groups_of(part(0, half), first, 6, squares);
    // Label 5 is empty on both sides.
    add_groups(groups,
               {6, d, others.mean.data(), false, others.weight.data(), others.count.data(),
                others.scatter.data(), others.scatter_width},
               squares);
    EXPECT_EQ(groups.count, expected.count);
    for (std::size_t k = 0; k < groups.mean.size(); ++k) {
      EXPECT_NEAR(groups.mean[k], expected.mean[k], 1e-11);
    }
    for (std::size_t k = 0; k < groups.scatter.size(); ++k) {
      EXPECT_NEAR(groups.scatter[k], expected.scatter[k], 1e-8 * (1 + expected.scatter[k]));
    }
  }
}

}  // namespace
}  // namespace powercut
