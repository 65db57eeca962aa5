#include "vectors/gaussian_prior.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "vectors/gaussian_costs.hpp"
#include "vectors/groups.hpp"
#include "vectors/points_support.hpp"

namespace powercut {
namespace {

using testing::Never;
using testing::random_labels;
using testing::random_points;
using testing::SmallPoints;

/// The clusters of some points, with the scatter of a covariance.
struct SmallClusters {
  PointGroups groups;

  explicit SmallClusters(Squares squares) : groups(make(squares)) {}

  static PointGroups make(Squares squares) {
    const SmallPoints points = random_points(0, 80, 3);
    const std::vector<Label> labels = random_labels(1, points.n, 6);
    Never never;
    Ticker ticker(never);
    ThreadTeam team(1);
    return point_groups(points.view(), labels, 7, squares, team, ticker);
  }

  PointsView view() const {
    return {7,
            3,
            groups.mean.data(),
            false,
            groups.weight.data(),
            groups.count.data(),
            groups.scatter.data(),
            groups.scatter_width};
  }
};

TEST(ImprovePrior, NeverRaisesTheCostThatItReturns) {
  Never never;
  for (const auto& [covariance, squares] : {std::pair{Covariance::diagonal, Squares::features},
                                            std::pair{Covariance::spherical, Squares::total},
                                            std::pair{Covariance::full, Squares::matrix}}) {
    const SmallClusters clusters(squares);
    const std::size_t width = clusters.groups.scatter_width;
    std::vector<double> one(width, 1), floor(width, 1e-6);
    if (squares == Squares::matrix) {
      for (std::size_t i = 0; i < width; ++i) one[i] = i % 4 == 0, floor[i] *= one[i];
    }
    // Without a hyperprior the cost is that of the clusters alone.
    const HyperPrior hyper{0, one.data(), floor.data(), 1e-6, 80};
    EstimatedPrior prior{std::vector<double>(3, 0.0), 0.1, 2, one, INFINITY};
    for (int step = 0; step < 20; ++step) {
      const GaussianParameters now{covariance, prior.mean.data(), prior.kappa, prior.shape,
                                   prior.scale.data()};
      EstimatedPrior better = improve_prior(clusters.view(), now, hyper, never);
      EXPECT_LE(better.cost, prior.cost + 1e-9);
      prior = std::move(better);
      const GaussianParameters then{covariance, prior.mean.data(), prior.kappa, prior.shape,
                                    prior.scale.data()};
      const std::vector<double> costs = gaussian_costs(clusters.view(), then, never);
      const double of_pi = 0.5 * 3 * 80 * std::log(2 * M_PI);
      EXPECT_NEAR(std::accumulate(costs.begin(), costs.end(), 0.0), prior.cost + of_pi, 1e-9);
    }
  }
}

}  // namespace
}  // namespace powercut
