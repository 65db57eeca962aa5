#include "vectors/margins.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "vectors/gaussian_support.hpp"

namespace powercut {
namespace {

using testing::expectations;
using testing::Expected;
using testing::gaussian_objective;
using testing::gaussian_priors;
using testing::Never;
using testing::random_labels;
using testing::random_points;
using testing::SmallPoints;
using testing::variants;

TEST(GaussianMargins, AreWhatTheBestOtherClusterCosts) {
  for (const SmallPoints& points : variants(2, 20, 3)) {
    for (const Expected& expected : expectations(3)) {
      for (const PriorParameters& prior : gaussian_priors) {
        std::vector<Label> labels = random_labels(1, points.n, 4);
        labels[0] = 5;  // a singleton; label 4 is unused
        std::vector<double> margin(points.n);
        Never never;
        gaussian_margins(points.view(), labels, 6, prior, expected.view(), margin, 2, never);
        const double j = gaussian_objective(points, labels, prior, expected);
        for (Node i = 0; i < points.n; ++i) {
          double least = std::numeric_limits<double>::infinity();
          for (const Label c : {0, 1, 2, 3, 5}) {
            std::vector<Label> moved = labels;
            moved[i] = c;
            if (c != labels[i]) {
              least = std::min(least, gaussian_objective(points, moved, prior, expected) - j);
            }
          }
          EXPECT_NEAR(margin[i], least, 1e-9 * (1 + std::abs(j)));
        }
      }
    }
  }
}

TEST(GaussianMargins, AreInfiniteWhereThereIsOneCluster) {
  const SmallPoints points = random_points(1, 5, 2);
  const Expected expected = expectations(2)[0];
  std::vector<double> margin(points.n);
  Never never;
  gaussian_margins(points.view(), std::vector<Label>(points.n, 0), 1, {1, 0.5, 1}, expected.view(),
                   margin, 1, never);
  for (const double m : margin) EXPECT_EQ(m, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace powercut
