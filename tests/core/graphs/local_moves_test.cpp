#include "graphs/local_moves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "graphs/components.hpp"
#include "support.hpp"

namespace powercut {
namespace {

using testing::AfterRequests;
using testing::all_specs;
using testing::naive_objective;
using testing::Never;
using testing::number_of_clusters;
using testing::ProgressRecorder;
using testing::random_coarse_graph;
using testing::random_graph;
using testing::random_labels;
using testing::singletons;
using testing::SmallGraph;
using testing::sparse_graph;
using testing::Spec;
using testing::two_cliques;

GraphMoveSummary improve(const SmallGraph& graph, std::vector<Label>& labels, Label n_labels,
                         const Spec& spec, const GraphMoveOptions& options = {}) {
  Never never;
  return local_moves(graph.view(), graph.nodes(), labels, n_labels, spec.objective(), options,
                     never);
}

Label labels_of(const GraphMoveSummary& summary) {
  return static_cast<Label>(summary.clusters.size());
}

TEST(LocalMoves, FindTwoCliques) {
  const SmallGraph graph = two_cliques();
  const Spec spec{"modularity", {1.0 / 26}, 0};
  std::vector<Label> labels = singletons(8);
  improve(graph, labels, 8, spec);
  EXPECT_EQ(number_of_clusters(labels), 2U);
  for (Node i = 0; i < 8; ++i) EXPECT_EQ(labels[i], labels[i < 4 ? 0 : 7]) << i;
}

TEST(LocalMoves, OpenANewClusterWhereThatIsBest) {
  // One edge and, in the same cluster, an isolated node.
  const SmallGraph graph = SmallGraph::from_matrix(3, {0, 1, 0, 1, 0, 0, 0, 0, 0});
  const Spec spec{"cpm", {0.1}, 0};
  std::vector<Label> labels{0, 0, 0};
  const GraphMoveSummary summary = improve(graph, labels, 1, spec);
  EXPECT_EQ(summary.moves, 1);
  EXPECT_EQ(labels_of(summary), 2);
  EXPECT_EQ(labels, (std::vector<Label>{0, 0, 1}));
}

TEST(LocalMoves, BeginAtTheNodesGiven) {
  const SmallGraph graph = two_cliques();
  const Spec spec{"modularity", {1.0 / 26}, 0};
  std::vector<Label> labels = singletons(8);
  const bool none[8] = {};
  EXPECT_EQ(improve(graph, labels, 8, spec, {.first = none}).moves, 0);
  EXPECT_EQ(labels, singletons(8));
  // A node that moves has its neighbors visited, and these theirs.
  bool first[8] = {};
  first[1] = true;
  EXPECT_GT(improve(graph, labels, 8, spec, {.first = first}).moves, 1);
  EXPECT_EQ(labels[1], labels[2]);
}

TEST(LocalMoves, GainMoreThanTheInertia) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const SmallGraph graph = random_graph(seed, 24);
    for (const Spec& spec : all_specs(graph)) {
      SCOPED_TRACE(spec.score + ", seed " + std::to_string(seed));
      std::vector<Label> labels = singletons(graph.n);
      const double inertia = 0.1;
      const GraphMoveSummary summary =
          improve(graph, labels, graph.n, spec, {.seed = seed, .inertia = inertia});
      const double gain = summary.before - summary.after;
      EXPECT_GE(gain, inertia * static_cast<double>(summary.moves) - 1e-9);
      EXPECT_EQ(improve(graph, labels, labels_of(summary), spec, {.inertia = 1e9}).moves, 0);
    }
  }
}

TEST(LocalMoves, SummariseWhatTheyDidToJ) {
  Count moves = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    for (const SmallGraph& graph : {random_graph(seed, 24), random_coarse_graph(seed, 24)}) {
      for (const Spec& spec : all_specs(graph)) {
        const std::vector<std::pair<std::vector<Label>, Label>> starts{
            {singletons(graph.n), graph.n},
            {std::vector<Label>(graph.n, 0), 1},
            {random_labels(seed, graph.n, 9), 12}};  // at least three labels are unused
        for (const auto& [start, n_labels] : starts) {
          SCOPED_TRACE(spec.score + ", seed " + std::to_string(seed));
          std::vector<Label> labels = start;
          const GraphMoveSummary summary = improve(graph, labels, n_labels, spec, {.seed = seed});
          EXPECT_NEAR(summary.before, naive_objective(graph, start, spec), 1e-10);
          EXPECT_NEAR(summary.after, naive_objective(graph, labels, spec), 1e-10);
          EXPECT_LE(summary.after, summary.before);
          EXPECT_EQ(summary.moves == 0, labels == start);
          EXPECT_EQ(summary.moves == 0, summary.after == summary.before);
          EXPECT_GE(labels_of(summary), n_labels);
          for (const Label c : labels) ASSERT_TRUE(c >= 0 && c < labels_of(summary));
          moves += summary.moves;
        }
      }
    }
  }
  EXPECT_GT(moves, 1000);
}

/// The largest decrease of J by moving a single node to a neighbor's cluster or a new one.
double best_gain(const SmallGraph& graph, const std::vector<Label>& labels, Label n_labels,
                 const Spec& spec) {
  const double j = naive_objective(graph, labels, spec);
  double best = 0;
  for (Node i = 0; i < graph.n; ++i) {
    std::vector<Label> moved = labels;
    moved[i] = n_labels;
    best = std::min(best, naive_objective(graph, moved, spec) - j);
    for (Entry e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
      moved[i] = labels[graph.indices[e]];
      best = std::min(best, naive_objective(graph, moved, spec) - j);
    }
  }
  return best;
}

TEST(LocalMoves, ExhaustiveEndWhereNoNodeGainsByMoving) {
  bool some_end_earlier = false;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const SmallGraph graph = random_coarse_graph(seed, 20);
    for (const Spec& spec : all_specs(graph)) {
      std::vector<Label> labels = singletons(graph.n);
      const GraphMoveSummary summary = improve(graph, labels, graph.n, spec, {.exhaustive = true});
      EXPECT_GT(best_gain(graph, labels, labels_of(summary), spec), -1e-10) << spec.score;
      EXPECT_NEAR(summary.after, naive_objective(graph, labels, spec), 1e-10);

      std::vector<Label> by_queue = singletons(graph.n);
      improve(graph, by_queue, graph.n, spec);
      some_end_earlier = some_end_earlier || best_gain(graph, by_queue, 2 * graph.n, spec) < -1e-3;
    }
  }
  EXPECT_TRUE(some_end_earlier);
}

TEST(LocalMoves, FollowTheSeed) {
  const SmallGraph graph = random_graph(1, 60);
  const Spec spec{"cpm", {0.1}, 0};
  const auto labels_of = [&](std::uint64_t seed) {
    std::vector<Label> labels = singletons(graph.n);
    improve(graph, labels, graph.n, spec, {.seed = seed});
    return labels;
  };
  EXPECT_EQ(labels_of(5), labels_of(5));
  EXPECT_NE(labels_of(5), labels_of(6));
}

TEST(LocalMoves, StayWithinTheirGroups) {
  bool some_would_leave = false;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const SmallGraph graph = random_coarse_graph(seed, 24);
    const std::vector<Label> groups = random_labels(seed + 50, graph.n, 3);
    for (const Spec& spec : all_specs(graph)) {
      const auto crosses = [&](const std::vector<Label>& labels) {
        std::map<Label, Label> group_of;
        for (Node i = 0; i < graph.n; ++i) {
          if (group_of.try_emplace(labels[i], groups[i]).first->second != groups[i]) return true;
        }
        return false;
      };
      std::vector<Label> labels = singletons(graph.n);
      const GraphMoveSummary summary =
          improve(graph, labels, graph.n, spec, {.within = groups.data(), .seed = seed});
      EXPECT_FALSE(crosses(labels)) << spec.score;
      EXPECT_NEAR(summary.after, naive_objective(graph, labels, spec), 1e-10);
      EXPECT_LE(summary.after, summary.before);

      std::vector<Label> free = singletons(graph.n);
      improve(graph, free, graph.n, spec, {.seed = seed});
      some_would_leave = some_would_leave || crosses(free);
    }
  }
  EXPECT_TRUE(some_would_leave);
}

TEST(LocalMoves, KeepClustersConnected) {
  Never never;
  ThreadTeam team(1);
  bool some_would_break = false;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const SmallGraph graph = random_graph(seed, 40, 13);
    const auto pieces = [&](const std::vector<Label>& labels) {
      std::vector<Label> piece(graph.n);
      return static_cast<std::size_t>(split_components(graph.view(), labels, piece, team, never));
    };
    // From one cluster, nodes leave one by one and could remove a bridge.
    std::vector<Label> start(graph.n);
    const std::vector<Label> one_cluster(graph.n, 0);
    const Label n_labels = split_components(graph.view(), one_cluster, start, team, never);
    for (const Spec& spec : all_specs(graph)) {
      std::vector<Label> labels = start;
      const GraphMoveSummary summary =
          improve(graph, labels, n_labels, spec, {.keep_connected = true, .seed = seed});
      EXPECT_EQ(pieces(labels), number_of_clusters(labels)) << spec.score << ", seed " << seed;
      EXPECT_NEAR(summary.after, naive_objective(graph, labels, spec), 1e-10);
      EXPECT_LE(summary.after, summary.before);

      std::vector<Label> free = start;
      improve(graph, free, n_labels, spec, {.seed = seed});
      some_would_break = some_would_break || pieces(free) > number_of_clusters(free);
    }
  }
  EXPECT_TRUE(some_would_break);
}

TEST(LocalMoves, ReportProgress) {
  const SmallGraph graph = random_graph(2, 300, 10);
  const Spec spec{"modularity", {1 / static_cast<double>(graph.indices.size())}, 0.3};
  const double constant =
      Prior(spec.concentration, spec.discount, spec.tradeoff, graph.n).constant();
  ProgressRecorder recorder;
  std::vector<Label> labels = singletons(graph.n);
  const GraphMoveSummary summary =
      local_moves(graph.view(), graph.nodes(), labels, graph.n, spec.objective(), {}, recorder);
  const std::vector<Progress>& reports = recorder.reports;
  ASSERT_GT(reports.size(), 3u);
  for (std::size_t r = 0; r < reports.size(); ++r) {
    EXPECT_EQ(reports[r].size, graph.n);
    EXPECT_EQ(reports[r].round, static_cast<Count>(r));
    if (r == 0) continue;
    EXPECT_GE(reports[r].moves, reports[r - 1].moves);
    EXPECT_LE(reports[r].objective, reports[r - 1].objective + 1e-9);
  }
  EXPECT_DOUBLE_EQ(reports.front().objective, summary.before + constant);
  EXPECT_DOUBLE_EQ(reports.back().objective, summary.after + constant);
  EXPECT_EQ(reports.back().moves, summary.moves);

  recorder.reports.clear();
  labels = singletons(graph.n);
  const std::vector<Label> together(graph.n, 0);
  local_moves(graph.view(), graph.nodes(), labels, graph.n, spec.objective(),
              {.within = together.data()}, recorder);
  for (const Progress& round : recorder.reports) EXPECT_TRUE(std::isnan(round.objective));
}

TEST(LocalMoves, CancelledLeaveAValidPartitionThatIsNoWorse) {
  const SmallGraph graph = random_graph(2, 1000, 20);
  const Spec spec{"modularity", {1 / static_cast<double>(graph.indices.size())}, 0.3};
  const std::vector<Label> start = singletons(graph.n);
  const double before = naive_objective(graph, start, spec);
  // Later and later, until the work ends before it is cancelled.
  int half_done = 0;
  for (int requests = 0;; ++requests) {
    AfterRequests token(requests);
    std::vector<Label> labels = start;
    try {
      local_moves(graph.view(), graph.nodes(), labels, graph.n, spec.objective(), {}, token);
      break;
    } catch (const Cancelled&) {
      for (const Label c : labels) ASSERT_TRUE(c >= 0 && c < 2 * graph.n);
      const double after = naive_objective(graph, labels, spec);
      EXPECT_LE(after, before);
      half_done += after < before;
    }
  }
  EXPECT_GT(half_done, 1);
}

TEST(LocalMoves, GiveTheSameLabelsOnAnyNumberOfThreads) {
  // Enough entries for several threads, and batches of several nodes.
  const SmallGraph graph = sparse_graph(3, 8000, 40);
  ASSERT_GT(graph.indices.size(), 64U * 1024);
  const double total = static_cast<double>(graph.indices.size());
  for (const Spec& spec : {Spec{"modularity", {2 / total}, 0}, Spec{"cpm", {0.1}, 0.05}}) {
    std::vector<Label> alone = singletons(graph.n);
    const GraphMoveSummary one = improve(graph, alone, graph.n, spec, {.seed = 7});
    EXPECT_GT(one.moves, graph.n / 2);
    for (const int n_threads : {2, 3, 8}) {
      std::vector<Label> labels = singletons(graph.n);
      const GraphMoveSummary several =
          improve(graph, labels, graph.n, spec, {.n_threads = n_threads, .seed = 7});
      EXPECT_EQ(labels, alone);
      EXPECT_EQ(several.moves, one.moves);
      EXPECT_EQ(several.after, one.after);
    }
  }
}

TEST(LocalMoves, EndEarlyWhereAFewMovesAreNegligible) {
  const SmallGraph graph = sparse_graph(5, 2000, 20);
  const Spec spec{"modularity", {1 / static_cast<double>(graph.indices.size())}, 0};
  std::vector<Label> brisk = singletons(graph.n), thorough = brisk;
  const GraphMoveSummary early = improve(graph, brisk, graph.n, spec, {.negligible = 0.2});
  const GraphMoveSummary late = improve(graph, thorough, graph.n, spec);
  EXPECT_LT(early.moves, late.moves);
  EXPECT_LT(late.after, early.after);
  EXPECT_NEAR(early.after, naive_objective(graph, brisk, spec), 1e-6);
}

TEST(LocalMoves, DoNothingToNoNodes) {
  const SmallGraph graph;
  std::vector<Label> labels;
  const GraphMoveSummary summary = improve(graph, labels, 0, {"ncut", {0}, 1});
  EXPECT_EQ(summary.before, 0);
  EXPECT_EQ(summary.after, 0);
  EXPECT_EQ(summary.moves, 0);
}

}  // namespace
}  // namespace powercut
