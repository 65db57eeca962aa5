#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "log_gamma.hpp"
#include "points_support.hpp"
#include "vector_moves.hpp"

namespace powercut {
namespace {

using testing::AfterRequests;
using testing::Expected;
using testing::expectations;
using testing::Never;
using testing::number_of_clusters;
using testing::random_labels;
using testing::random_points;
using testing::random_weights;
using testing::regulariser;
using testing::singletons;
using testing::SmallPoints;

/// ln |B| by elimination without pivots, which a positive definite matrix does not need.
double log_determinant(std::vector<double> b, std::size_t d) {
  double sum = 0;
  for (std::size_t j = 0; j < d; ++j) {
    sum += std::log(b[j * d + j]);
    for (std::size_t i = j + 1; i < d; ++i) {
      const double part = b[i * d + j] / b[j * d + j];
      for (std::size_t k = j; k < d; ++k) b[i * d + k] -= part * b[j * d + k];
    }
  }
  return sum;
}

/// -ln marginal likelihood of all clusters + tradeoff * regulariser, straight from the formulas.
double naive(const SmallPoints& points, std::span<const Label> labels, const PriorParameters& prior,
             const Expected& expected) {
  const std::size_t d = points.dimensions;
  const double half_d = 0.5 * static_cast<double>(d);
  std::map<Label, std::vector<Node>> members;
  for (Node i = 0; i < points.n; ++i) members[labels[i]].push_back(i);
  double j = 0;
  std::vector<Count> sizes;
  for (const auto& [c, nodes] : members) {
    double total = 0;
    Count size = 0;
    std::vector<double> mean(d, 0), b(d * d, 0);
    for (const Node i : nodes) {
      const double w = points.weight.empty() ? 1 : points.weight[i];
      total += w;
      size += points.count.empty() ? 1 : points.count[i];
      for (std::size_t k = 0; k < d; ++k) mean[k] += w * points.values[i * d + k];
    }
    sizes.push_back(size);
    for (double& m : mean) m /= total;
    const double pull = expected.kappa * total / (expected.kappa + total);
    for (std::size_t p = 0; p < d; ++p) {
      for (std::size_t q = 0; q < d; ++q) {
        double sum = pull * (mean[p] - expected.mean[p]) * (mean[q] - expected.mean[q]);
        for (const Node i : nodes) {
          const double w = points.weight.empty() ? 1 : points.weight[i];
          sum += w * (points.values[i * d + p] - mean[p]) * (points.values[i * d + q] - mean[q]);
        }
        b[p * d + q] = 0.5 * sum;
      }
    }
    j += half_d * (std::log1p(total / expected.kappa) + total * std::log(2 * M_PI));
    const double a = expected.shape;
    if (expected.covariance == Covariance::diagonal) {
      for (std::size_t k = 0; k < d; ++k) {
        j += (a + total / 2) * std::log(expected.scale[k] + b[k * d + k]) -
             a * std::log(expected.scale[k]) - std::lgamma(a + total / 2) + std::lgamma(a);
      }
    } else if (expected.covariance == Covariance::spherical) {
      double trace = expected.scale[0];
      for (std::size_t k = 0; k < d; ++k) trace += b[k * d + k];
      j += (a + half_d * total) * std::log(trace) - a * std::log(expected.scale[0]) -
           std::lgamma(a + half_d * total) + std::lgamma(a);
    } else {
      for (std::size_t k = 0; k < d * d; ++k) b[k] += expected.scale[k];
      j += (a + total / 2) * log_determinant(b, d) - a * log_determinant(expected.scale, d);
      for (std::size_t k = 0; k < d; ++k) {
        const double shape = a - 0.5 * static_cast<double>(k);
        j += std::lgamma(shape) - std::lgamma(shape + total / 2);
      }
    }
  }
  return j + prior.tradeoff * regulariser(prior.concentration, prior.discount, sizes);
}

/// Points alone, with weights that are no whole numbers, with whole weights and counts.
std::vector<SmallPoints> variants(std::uint64_t seed, Node n, Node dimensions) {
  std::vector<SmallPoints> all(3, random_points(seed, n, dimensions));
  all[1].weight = random_weights(seed + 100, n);
  Random random(seed + 200);
  for (Node i = 0; i < n; ++i) {
    all[2].count.push_back(1 + random.below(5));
    all[2].weight.push_back(static_cast<double>(all[2].count.back()));
  }
  return all;
}

const std::vector<PriorParameters> priors{{1.5, 0.4, 0}, {1.5, 0.4, 1}, {1, 0.8, 20}};

TEST(GaussianMoves, GainIsTheDifferenceOfJ) {
  Count moves = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (const Node d : {1, 3, 11}) {
      for (const SmallPoints& points : variants(seed, 30, d)) {
        for (const Expected& expected : expectations(static_cast<std::size_t>(d))) {
          for (const PriorParameters& prior : priors) {
            for (const auto& start : {std::vector<Label>(points.n, 0),
                                      random_labels(seed, points.n, 5), singletons(points.n)}) {
              std::vector<Label> labels = start;
              Never never;
              const VectorMoveSummary summary = gaussian_moves(
                  points.view(), labels, points.n, prior, expected.view(), {.seed = seed}, never);
              const double before = naive(points, start, prior, expected);
              const double after = naive(points, labels, prior, expected);
              EXPECT_NEAR(summary.gain, after - before, 1e-9 * (1 + std::abs(before)));
              EXPECT_LE(summary.gain, 0);
              EXPECT_EQ(summary.moves == 0, labels == start);
              moves += summary.moves;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(moves, 1000);
}

TEST(GaussianMoves, EndWhereNoPointGainsByMoving) {
  for (const SmallPoints& points : variants(1, 24, 2)) {
    for (const Expected& expected : expectations(2)) {
      for (const PriorParameters& prior : priors) {
        std::vector<Label> labels = random_labels(1, points.n, 4);
        Never never;
        const VectorMoveSummary summary =
            gaussian_moves(points.view(), labels, 4, prior, expected.view(), {.seed = 1}, never);
        const double j = naive(points, labels, prior, expected);
        for (Node i = 0; i < points.n; ++i) {
          for (Label c = 0; c <= summary.n_labels; ++c) {
            std::vector<Label> moved = labels;
            moved[i] = c;
            EXPECT_GT(naive(points, moved, prior, expected), j - 1e-9);
          }
        }
      }
    }
  }
}

TEST(GaussianMoves, PointsFarBeyondTheRangeOfProductsAreStillMeasured) {
  // Eight factors of 1e60 are too large for a double.
  SmallPoints points = random_points(1, 20, 8);
  for (Node d = 0; d < 8; ++d) points.values[d] = 1e30;
  const Expected expected = expectations(8)[0];
  std::vector<Label> labels(points.n, 0);
  Never never;
  const VectorMoveSummary summary =
      gaussian_moves(points.view(), labels, 1, {1, 0, 1}, expected.view(), {}, never);
  EXPECT_TRUE(std::isfinite(summary.gain));
  EXPECT_EQ(std::count(labels.begin(), labels.end(), labels[0]), 1);
}

TEST(GaussianMoves, GiveTheSameLabelsOnAnyNumberOfThreads) {
  const SmallPoints points = random_points(3, 4000, 3, 20);
  const PriorParameters prior{1.5, 0.4, 1};
  const std::vector<Label> start = random_labels(1, points.n, 30);
  for (const Expected& expected : expectations(3)) {
    std::vector<Label> alone = start;
    Never never;
    const VectorMoveSummary summary =
        gaussian_moves(points.view(), alone, 30, prior, expected.view(), {.seed = 7}, never);
    const double before = naive(points, start, prior, expected);
    EXPECT_NEAR(summary.gain, naive(points, alone, prior, expected) - before, 1e-9 * before);
    std::vector<double> margin(points.n), same(points.n);
    gaussian_margins(points.view(), alone, summary.n_labels, prior, expected.view(), margin, 1, never);
    EXPECT_GE(*std::min_element(margin.begin(), margin.end()), -1e-9);
    for (const int n_threads : {2, 3}) {
      std::vector<Label> labels = start;
      gaussian_moves(points.view(), labels, 30, prior, expected.view(),
                     {.n_threads = n_threads, .seed = 7}, never);
      EXPECT_EQ(labels, alone) << n_threads;
      gaussian_margins(points.view(), alone, summary.n_labels, prior, expected.view(), same,
                       n_threads, never);
      EXPECT_EQ(same, margin);
    }
  }
}

TEST(GaussianMargins, AreWhatTheBestOtherClusterCosts) {
  for (const SmallPoints& points : variants(2, 20, 3)) {
    for (const Expected& expected : expectations(3)) {
      for (const PriorParameters& prior : priors) {
        std::vector<Label> labels = random_labels(1, points.n, 4);
        labels[0] = 5;  // alone; nobody is in 4
        std::vector<double> margin(points.n);
        Never never;
        gaussian_margins(points.view(), labels, 6, prior, expected.view(), margin, 2, never);
        const double j = naive(points, labels, prior, expected);
        for (Node i = 0; i < points.n; ++i) {
          double least = std::numeric_limits<double>::infinity();
          for (const Label c : {0, 1, 2, 3, 5}) {
            std::vector<Label> moved = labels;
            moved[i] = c;
            if (c != labels[i]) least = std::min(least, naive(points, moved, prior, expected) - j);
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

TEST(GaussianMoves, CancelledLeaveAValidPartitionThatIsNoWorse) {
  const SmallPoints points = random_points(1, 400, 8, 5);
  const Expected expected = expectations(8)[0];
  const PriorParameters prior{1.5, 0.4, 1};
  const std::vector<Label> start = random_labels(1, points.n, 40);
  const double before = naive(points, start, prior, expected);
  int half_done = 0;
  for (int requests = 0; requests < 3; ++requests) {
    std::vector<Label> labels = start;
    AfterRequests cancel(requests);
    EXPECT_THROW(gaussian_moves(points.view(), labels, 40, prior, expected.view(), {}, cancel),
                 Cancelled);
    const double after = naive(points, labels, prior, expected);
    EXPECT_LE(after, before);
    half_done += after < before;
  }
  EXPECT_GT(half_done, 1);
}

TEST(LogGamma, RisesAsTheLibraryFunctionDoes) {
  for (const double x : {1e-3, 0.5, 1.0, 7.9, 8.0, 300.0}) {
    for (const double y : {1e-3, 0.5, 1.0, 20.0, 5000.0}) {
      const double expected = std::lgamma(x + y) - std::lgamma(x);
      EXPECT_NEAR(log_gamma::rise(x, y), expected, 1e-12 * (1 + std::abs(std::lgamma(x + y))));
    }
  }
  EXPECT_NEAR(log_gamma::rise(1e12, 1), std::log(1e12), 1e-11);
}

}  // namespace
}  // namespace powercut
