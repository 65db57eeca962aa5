#include "vectors/local_moves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "vectors/points_support.hpp"

namespace powercut {
namespace {

using testing::AfterRequests;
using testing::naive_objective;
using testing::Never;
using testing::number_of_clusters;
using testing::ProgressRecorder;
using testing::random_labels;
using testing::random_points;
using testing::random_weights;
using testing::singletons;
using testing::SmallPoints;

VectorMoveSummary improve(const SmallPoints& points, std::vector<Label>& labels, Label n_labels,
                          const PriorParameters& prior, std::uint64_t seed = 0) {
  Never never;
  return kmeans_moves(points.view(), labels, n_labels, prior, {.seed = seed}, never);
}

/// Points without attributes, with weights, with counts, with both.
std::vector<SmallPoints> variants(std::uint64_t seed, Node n, Node dimensions) {
  std::vector<SmallPoints> all(4, random_points(seed, n, dimensions));
  all[1].weight = all[3].weight = random_weights(seed + 100, n);
  Random random(seed + 200);
  for (Node i = 0; i < n; ++i) all[2].count.push_back(1 + random.below(5));
  all[3].count = all[2].count;
  return all;
}

const std::vector<PriorParameters> priors{{1.5, 0.4, 0}, {1.5, 0.4, 1}, {5, 0, 4}, {1, 0.8, 20}};

TEST(KMeansMoves, GainIsTheDifferenceOfJ) {
  Count moves = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const Node dimensions : {1, 3, 6}) {
      for (const SmallPoints& points : variants(seed, 30, dimensions)) {
        for (const PriorParameters& prior : priors) {
          const std::vector<std::pair<std::vector<Label>, Label>> starts{
              {std::vector<Label>(points.n, 0), 1},
              {random_labels(seed, points.n, 5), 8},  // at least three labels are unused
              {singletons(points.n), points.n}};
          for (const auto& [start, n_labels] : starts) {
            std::vector<Label> labels = start;
            const VectorMoveSummary summary = improve(points, labels, n_labels, prior, seed);
            const double before = naive_objective(points, start, prior);
            const double after = naive_objective(points, labels, prior);
            EXPECT_NEAR(summary.gain, after - before, 1e-11 * (1 + std::abs(before)));
            EXPECT_LE(summary.gain, 0);
            EXPECT_EQ(summary.moves == 0, labels == start);
            EXPECT_GE(summary.n_labels, n_labels);
            for (const Label c : labels) ASSERT_TRUE(c >= 0 && c < summary.n_labels);
            moves += summary.moves;
          }
        }
      }
    }
  }
  EXPECT_GT(moves, 1000);
}

TEST(KMeansMoves, OnlyVisitedPointsMoveAndGainMoreThanTheInertia) {
  constexpr double inertia = 2;
  Count moves = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (const SmallPoints& points : variants(seed, 24, 2)) {
      const std::vector<Label> start = random_labels(seed, points.n, 4);
      bool visited[24];
      for (Node i = 0; i < points.n; ++i) visited[i] = i % 3 != 0;
      std::vector<Label> labels = start;
      Never never;
      const VectorMoveSummary summary =
          kmeans_moves(points.view(), labels, 4, priors[1],
                       {.seed = seed, .visited = visited, .inertia = inertia}, never);
      const double j = naive_objective(points, labels, priors[1]);
      EXPECT_LE(summary.gain, -inertia * static_cast<double>(summary.moves));
      moves += summary.moves;
      for (Node i = 0; i < points.n; ++i) {
        if (!visited[i]) {
          EXPECT_EQ(labels[i], start[i]);
          continue;
        }
        for (Label c = 0; c <= summary.n_labels; ++c) {
          std::vector<Label> moved = labels;
          moved[i] = c;
          EXPECT_GE(naive_objective(points, moved, priors[1]), j - inertia - 1e-9);
        }
      }
    }
  }
  EXPECT_GT(moves, 20);
}

TEST(KMeansMoves, EndWhereNoPointGainsByMoving) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (const SmallPoints& points : variants(seed, 24, 2)) {
      for (const PriorParameters& prior : priors) {
        std::vector<Label> labels = random_labels(seed, points.n, 4);
        const VectorMoveSummary summary = improve(points, labels, 4, prior, seed);
        const double j = naive_objective(points, labels, prior);
        for (Node i = 0; i < points.n; ++i) {
          for (Label c = 0; c <= summary.n_labels; ++c) {
            std::vector<Label> moved = labels;
            moved[i] = c;
            EXPECT_GT(naive_objective(points, moved, prior), j - 1e-10);
          }
        }
      }
    }
  }
}

TEST(KMeansMoves, BringStraysHome) {
  const SmallPoints points = random_points(1, 60, 4, 3);
  std::vector<Label> labels(points.n);
  for (Node i = 0; i < points.n; ++i) labels[i] = i >= 3 && i % 5 == 0 ? (i + 1) % 3 : i % 3;
  improve(points, labels, 3, {1, 0.2, 20});
  EXPECT_EQ(number_of_clusters(labels), 3U);
  for (Node i = 0; i < points.n; ++i) EXPECT_EQ(labels[i], labels[i % 3]) << i;
}

TEST(KMeansMoves, EmptyClustersAreReused) {
  // The first point is a singleton, cluster 1, which becomes empty when the point joins cluster 0.
  // Half of cluster 2 then leaves for a new cluster: its mean must not contain 0.1.
  const SmallPoints points{9, 1, {0.1, 0, 0, 0.2, 30, 30.2, 30.5, 60, 60.5}, {}, {}};
  const PriorParameters prior{0.1, 0, 5};
  const std::vector<Label> start{1, 0, 0, 0, 2, 2, 2, 2, 2};
  int reused = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<Label> labels = start;
    const VectorMoveSummary summary = improve(points, labels, 3, prior, seed);
    EXPECT_NEAR(summary.gain,
                naive_objective(points, labels, prior) - naive_objective(points, start, prior),
                1e-10);
    reused += std::count(labels.begin() + 4, labels.end(), 1) > 1;
  }
  EXPECT_GT(reused, 0);
}

TEST(KMeansMoves, ReadSinglePrecision) {
  // Multiples of 1/16 are exact in both precisions.
  Random random(9);
  SmallPoints points{40, 5, {}, {}, {}};
  for (int v = 0; v < 200; ++v) {
    points.values.push_back(static_cast<double>(random.below(160)) / 16);
  }
  const std::vector<float> single(points.values.begin(), points.values.end());
  PointsView single_view = points.view();
  single_view.values = single.data();
  single_view.single_precision = true;
  for (const PriorParameters& prior : priors) {
    std::vector<Label> labels = random_labels(3, points.n, 4);
    std::vector<Label> single_labels = labels;
    const VectorMoveSummary summary = improve(points, labels, 4, prior);
    Never never;
    const VectorMoveSummary single_summary =
        kmeans_moves(single_view, single_labels, 4, prior, {}, never);
    EXPECT_EQ(single_labels, labels);
    EXPECT_EQ(single_summary.gain, summary.gain);
  }
}

TEST(KMeansMoves, PointsThatStandForGroupsMoveAsTheGroupsWould) {
  // Four copies of a point cost as much as one point of weight and count four.
  const SmallPoints points = random_points(4, 12, 2);
  SmallPoints groups = points, copies{48, 2, {}, {}, {}};
  groups.weight.assign(points.n, 4);
  groups.count.assign(points.n, 4);
  std::vector<Label> start = random_labels(1, points.n, 3), copied;
  for (Node i = 0; i < points.n; ++i) {
    for (int copy = 0; copy < 4; ++copy) {
      copies.values.insert(copies.values.end(), &points.values[2 * i], &points.values[2 * i] + 2);
    }
  }
  const PriorParameters prior{1.5, 0.4, 3};
  std::vector<Label> labels = start;
  const VectorMoveSummary summary = improve(groups, labels, 3, prior);
  const auto of_copies = [&](const std::vector<Label>& grouped) {
    copied.clear();
    for (const Label c : grouped) copied.insert(copied.end(), 4, c);
    return naive_objective(copies, copied, prior);
  };
  ASSERT_GT(summary.moves, 0);
  EXPECT_NEAR(summary.gain, of_copies(labels) - of_copies(start), 1e-10);
}

TEST(KMeansMoves, FollowTheSeed) {
  const SmallPoints points = random_points(1, 60, 2, 1);
  const auto labels_of = [&](std::uint64_t seed) {
    std::vector<Label> labels = random_labels(1, points.n, 8);
    improve(points, labels, 8, {1.5, 0.4, 0.2}, seed);
    return labels;
  };
  EXPECT_EQ(labels_of(5), labels_of(5));
  EXPECT_NE(labels_of(5), labels_of(6));
}

TEST(KMeansMoves, GiveTheSameLabelsOnAnyNumberOfThreads) {
  // Enough points for batches of several.
  const SmallPoints points = random_points(3, 3000, 2, 20);
  const PriorParameters prior{1.5, 0.4, 2};
  const std::vector<Label> start = random_labels(1, points.n, 30);
  const auto run = [&](int n_threads, std::vector<Label>& labels) {
    Never never;
    labels = start;
    return kmeans_moves(points.view(), labels, 30, prior, {.n_threads = n_threads, .seed = 7},
                        never);
  };
  std::vector<Label> alone, together;
  const VectorMoveSummary summary = run(1, alone);
  const double before = naive_objective(points, start, prior);
  EXPECT_NEAR(summary.gain, naive_objective(points, alone, prior) - before, 1e-11 * before);
  for (const int n_threads : {2, 3, 8}) {
    EXPECT_EQ(run(n_threads, together).gain, summary.gain);
    EXPECT_EQ(together, alone) << n_threads;
  }
}

TEST(KMeansMoves, EndWithAPassThatMovesFew) {
  const SmallPoints points = random_points(3, 3000, 2, 1);
  const auto moves_at = [&](double negligible) {
    std::vector<Label> labels = random_labels(1, points.n, 30);
    Never never;
    return kmeans_moves(points.view(), labels, 30, {1e-30, 0, 0.1}, {.negligible = negligible},
                        never)
        .moves;
  };
  const Count to_the_end = moves_at(0), until_few = moves_at(0.1), one_pass = moves_at(2);
  EXPECT_GT(one_pass, 0);
  EXPECT_LE(one_pass, points.n);
  EXPECT_LT(one_pass, until_few);
  EXPECT_LT(until_few, to_the_end);
}

TEST(KMeansMoves, ReportProgress) {
  const SmallPoints points = random_points(1, 200, 4, 5);
  ProgressRecorder recorder;
  std::vector<Label> labels = random_labels(1, points.n, 20);
  const VectorMoveSummary summary =
      kmeans_moves(points.view(), labels, 20, {1.5, 0.4, 2}, {}, recorder);
  ASSERT_GT(recorder.reports.size(), 1u);
  for (std::size_t r = 0; r < recorder.reports.size(); ++r) {
    EXPECT_EQ(recorder.reports[r].size, points.n);
    EXPECT_EQ(recorder.reports[r].round, static_cast<Count>(r));
  }
  EXPECT_EQ(recorder.reports.front().moves, 0);
  EXPECT_EQ(recorder.reports.back().moves, summary.moves);
}

TEST(KMeansMoves, CancelledLeaveAValidPartitionThatIsNoWorse) {
  const SmallPoints points = random_points(1, 400, 8, 5);
  const PriorParameters prior{1.5, 0.4, 2};
  const std::vector<Label> start = random_labels(1, points.n, 40);
  const double before = naive_objective(points, start, prior);
  // Later and later, until the work ends before it is cancelled.
  int half_done = 0;
  for (int requests = 0;; ++requests) {
    std::vector<Label> labels = start;
    AfterRequests token(requests);
    try {
      kmeans_moves(points.view(), labels, 40, prior, {}, token);
      break;
    } catch (const Cancelled&) {
      for (const Label c : labels) ASSERT_TRUE(c >= 0 && c < 40 + points.n);
      const double after = naive_objective(points, labels, prior);
      EXPECT_LE(after, before);
      half_done += after < before;
    }
  }
  EXPECT_GT(half_done, 1);
}

TEST(KMeansMoves, DoNothingToNoPoints) {
  std::vector<Label> labels;
  const VectorMoveSummary summary = improve({}, labels, 0, {1, 0.5, 1});
  EXPECT_EQ(summary.gain, 0);
  EXPECT_EQ(summary.moves, 0);
}

}  // namespace
}  // namespace powercut
