#include "vectors/nearest_means.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "vectors/points_support.hpp"

namespace powercut {
namespace {

using testing::AfterRequests;
using testing::Never;
using testing::random_points;
using testing::random_weights;
using testing::SmallPoints;

struct Known {
  explicit Known(Node n) : label(n, 0), beyond(n, 0), squares(n) {}

  void find(const SmallPoints& points, const std::vector<double>& means, int n_threads = 1) {
    Never never;
    nearest_means(points.view(), means, {label, beyond}, squares, n_threads, never);
  }

  std::vector<Label> label;
  std::vector<double> beyond;
  std::vector<double> squares;
};

/// Each point has its nearest mean, the first of equals, and none of the others is within `beyond`.
void expect_nearest(const Known& known, const SmallPoints& points,
                    const std::vector<double>& means) {
  const std::size_t d = points.dimensions;
  for (Node i = 0; i < points.n; ++i) {
    Label best = 0;
    const auto square_to = [&](Label c) {
      return squared_distance(&points.values[i * d], &means[c * d], d);
    };
    const Label k = static_cast<Label>(means.size() / d);
    for (Label c = 1; c < k; ++c) best = square_to(c) < square_to(best) ? c : best;
    EXPECT_EQ(known.label[i], best);
    EXPECT_EQ(known.squares[i], square_to(best));
    for (Label c = 0; c < k; ++c) {
      if (c == best) continue;
      EXPECT_LE(known.beyond[i], std::sqrt(square_to(c)));
    }
  }
}

TEST(NearestMeans, AreThoseOfAllMeansTheFirstOfEquals) {
  for (const Node dimensions : {1, 3, 20}) {
    for (const Node n_means : {1, 5, 40}) {
      for (const int n_threads : {1, 3}) {
        SmallPoints points = random_points(dimensions, 100, dimensions, 5);
        points.weight = random_weights(1, points.n);
        SmallPoints means = random_points(7, n_means, dimensions, 5);
        // Equal means, and a point that is one of them.
        means.values.insert(means.values.end(), means.values.begin(), means.values.end());
        std::copy_n(means.values.end() - dimensions, dimensions, points.values.begin());
        Known known(points.n);
        known.find(points, means.values, n_threads);
        expect_nearest(known, points, means.values);
        EXPECT_EQ(known.squares[0], 0);
      }
    }
  }
}

TEST(NearestMeans, AreFoundByWhatIsKnownOfMeansThatMoved) {
  const SmallPoints points = random_points(1, 200, 3, 5);
  std::vector<double> means = random_points(7, 9, 3, 5).values;
  Known known(points.n);
  known.find(points, means);
  Random random(2);
  for (const double most : {0.01, 0.3, 3.0}) {
    for (double& value : means) value += most * random.uniform();
    for (double& beyond : known.beyond) beyond = std::max(0.0, beyond - most * std::sqrt(3.0));
    known.find(points, means);
    expect_nearest(known, points, means);
  }
}

TEST(NearestMeans, AreNotSearchedWhereTheGuessIsCertain) {
  const SmallPoints points{2, 1, {0, 1}, {}, {}};
  Known known(2);
  known.label = {1, 1};
  known.beyond = {11, 8};  // the first is false, so the point is not compared
  known.find(points, {0, 10, 20});
  EXPECT_EQ(known.label, (std::vector<Label>{1, 0}));
  EXPECT_EQ(known.squares, (std::vector<double>{100, 1}));
}

TEST(NearestMeans, CanBeCancelled) {
  const SmallPoints points = random_points(1, 2000, 8, 5);
  AfterRequests token(0);
  Known known(points.n);
  EXPECT_THROW(nearest_means(points.view(), points.values, {known.label, known.beyond},
                             known.squares, 1, token),
               Cancelled);
}

}  // namespace
}  // namespace powercut
