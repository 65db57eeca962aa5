#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "vectors/gaussian_support.hpp"
#include "vectors/local_moves.hpp"
#include "vectors/margins.hpp"

namespace powercut {
namespace {

using testing::AfterRequests;
using testing::expectations;
using testing::Expected;
using testing::gaussian_objective;
using testing::gaussian_priors;
using testing::Never;
using testing::random_labels;
using testing::random_points;
using testing::singletons;
using testing::SmallPoints;
using testing::variants;

TEST(GaussianMoves, GainIsTheDifferenceOfJ) {
  Count moves = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (const Node d : {1, 3, 11}) {
      for (const SmallPoints& points : variants(seed, 30, d)) {
        for (const Expected& expected : expectations(static_cast<std::size_t>(d))) {
          for (const PriorParameters& prior : gaussian_priors) {
            for (const auto& start : {std::vector<Label>(points.n, 0),
                                      random_labels(seed, points.n, 5), singletons(points.n)}) {
              std::vector<Label> labels = start;
              Never never;
              const VectorMoveSummary summary = gaussian_moves(
                  points.view(), labels, points.n, prior, expected.view(), {.seed = seed}, never);
              const double before = gaussian_objective(points, start, prior, expected);
              const double after = gaussian_objective(points, labels, prior, expected);
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
      for (const PriorParameters& prior : gaussian_priors) {
        std::vector<Label> labels = random_labels(1, points.n, 4);
        Never never;
        const VectorMoveSummary summary =
            gaussian_moves(points.view(), labels, 4, prior, expected.view(), {.seed = 1}, never);
        const double j = gaussian_objective(points, labels, prior, expected);
        for (Node i = 0; i < points.n; ++i) {
          for (Label c = 0; c <= summary.n_labels; ++c) {
            std::vector<Label> moved = labels;
            moved[i] = c;
            EXPECT_GT(gaussian_objective(points, moved, prior, expected), j - 1e-9);
          }
        }
      }
    }
  }
}

TEST(GaussianMoves, PointsFarBeyondTheRangeOfProductsAreStillMeasured) {
  // A product of eight factors of 1e60 overflows.
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
    const double before = gaussian_objective(points, start, prior, expected);
    EXPECT_NEAR(summary.gain, gaussian_objective(points, alone, prior, expected) - before,
                1e-9 * before);
    std::vector<double> margin(points.n), same(points.n);
    gaussian_margins(points.view(), alone, summary.n_labels, prior, expected.view(), margin, 1,
                     never);
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

TEST(GaussianMoves, AreTheSameWithAndWithoutBounds) {
  // Points with counts are compared with all clusters, or with all that have changed.
  SmallPoints points = random_points(5, 600, 3, 40);
  for (Node i = 0; i < points.n; ++i) points.values[3 * i] += 7 * (i % 7);
  SmallPoints counted = points;
  counted.count.assign(points.n, 1);
  const PriorParameters prior{1.5, 0.4, 1};
  for (const Expected& expected : expectations(3)) {
    std::vector<Label> labels = random_labels(1, points.n, 60), same = labels;
    Never never;
    gaussian_moves(points.view(), labels, 60, prior, expected.view(), {.seed = 7}, never);
    gaussian_moves(counted.view(), same, 60, prior, expected.view(), {.seed = 7}, never);
    EXPECT_EQ(labels, same);
  }
}

TEST(GaussianMoves, CancelledLeaveAValidPartitionThatIsNoWorse) {
  const SmallPoints points = random_points(1, 400, 8, 5);
  const Expected expected = expectations(8)[0];
  const PriorParameters prior{1.5, 0.4, 1};
  const std::vector<Label> start = random_labels(1, points.n, 40);
  const double before = gaussian_objective(points, start, prior, expected);
  int half_done = 0;
  for (int requests = 0; requests < 3; ++requests) {
    std::vector<Label> labels = start;
    AfterRequests token(requests);
    EXPECT_THROW(gaussian_moves(points.view(), labels, 40, prior, expected.view(), {}, token),
                 Cancelled);
    const double after = gaussian_objective(points, labels, prior, expected);
    EXPECT_LE(after, before);
    half_done += after < before;
  }
  EXPECT_GT(half_done, 1);
}

}  // namespace
}  // namespace powercut
