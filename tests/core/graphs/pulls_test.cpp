#include "graphs/pulls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/threads.hpp"
#include "graphs/connectivity.hpp"
#include "graphs/local_moves.hpp"
#include "graphs/margins.hpp"
#include "graphs/scored_clusters.hpp"
#include "support.hpp"

namespace powercut::testing {
namespace {

struct OwnedPulls {
  std::vector<Entry> offsets{0};
  std::vector<Label> homes;
  std::vector<double> nats;

  void add_row(const std::vector<std::pair<Label, double>>& row) {
    for (const auto& [home, s] : row) {
      homes.push_back(home);
      nats.push_back(s);
    }
    offsets.push_back(static_cast<Entry>(homes.size()));
  }
  Pulls view() const { return {offsets.data(), homes.data(), nats.data()}; }
};

/// Up to two homes for each node.
OwnedPulls random_pulls(std::uint64_t seed, Node n, Label n_labels) {
  Random random(seed + 7);
  OwnedPulls pulls;
  for (Node i = 0; i < n; ++i) {
    std::vector<std::pair<Label, double>> row;
    for (std::uint64_t k = random.below(3); k > 0; --k) {
      row.emplace_back(static_cast<Label>(random.below(n_labels)), 5 * random.uniform() + 0.01);
    }
    pulls.add_row(row);
  }
  return pulls;
}

TEST(Pulls, AreSumsOverTheHomesOfNodes) {
  OwnedPulls owned;
  owned.add_row({{1, 2.0}, {0, 0.5}, {1, 1.0}});
  owned.add_row({});
  owned.add_row({{0, 4.0}});
  std::vector<Label> labels{0, 1, 0};
  const Pulls pulls = owned.view();
  EXPECT_TRUE(pulls.concern(0));
  EXPECT_FALSE(pulls.concern(1));
  EXPECT_FALSE(Pulls{}.concern(0));
  EXPECT_EQ(pulls.toward(0, 1), 3.0);
  EXPECT_EQ(pulls.change(0, 0, 1), 0.5 - 3.0);
  EXPECT_EQ(pulls.change(2, 0, new_cluster), 4.0);
  EXPECT_EQ(pulls.value(labels), 3.0);
  EXPECT_EQ(Pulls{}.value(labels), 0.0);
  ClusterPulls clusters(pulls, labels, 2);
  EXPECT_EQ(clusters.attracted_by(0).size(), 2U);
  EXPECT_TRUE(clusters.attracted_by(9).empty());  // opened after the start
  EXPECT_TRUE(clusters.hold_any(0));
  EXPECT_FALSE(clusters.hold_any(1));
  clusters.add_move(0, 0, 1);
  clusters.add_move(2, 0, 9);
  EXPECT_FALSE(clusters.hold_any(0));
  EXPECT_TRUE(clusters.hold_any(1));
}

TEST(Pulls, MarginsAndMovesAreThoseOfJWithThePulls) {
  Never never;
  Count moves = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const SmallGraph graph = random_coarse_graph(seed, 30);
    constexpr Label n_labels = 6;
    const OwnedPulls pulls = random_pulls(seed, 30, n_labels);
    for (const Spec& spec : all_specs(graph)) {
      SCOPED_TRACE(spec.score + ", seed " + std::to_string(seed));
      const auto j = [&](const std::vector<Label>& z) {
        return naive_objective(graph, z, spec) + pulls.view().value(z);
      };
      std::vector<Label> labels = random_labels(seed, graph.n, n_labels);
      std::vector<double> margin(graph.n);
      margins(graph.view(), graph.nodes(), labels, n_labels, spec.objective(), {}, pulls.view(),
              margin, 2, never);
      const double before = j(labels);
      for (Node i = 0; i < graph.n; ++i) {
        double best = std::numeric_limits<double>::infinity();
        for (const Label c : candidates(graph, i, labels, n_labels)) {
          if (c == n_labels && std::ranges::count(labels, labels[i]) == 1) continue;
          std::vector<Label> moved = labels;
          moved[i] = c;
          best = std::min(best, j(moved) - before);
        }
        EXPECT_NEAR(margin[i], best, 1e-9);
      }
      const GraphMoveSummary summary =
          local_moves(graph.view(), graph.nodes(), labels, n_labels, spec.objective(),
                      {.exhaustive = true, .seed = seed, .pulls = pulls.view()}, never);
      EXPECT_NEAR(summary.before, before, 1e-9);
      EXPECT_NEAR(summary.after, j(labels), 1e-9);
      EXPECT_LE(summary.after, summary.before);
      const Label n_after = static_cast<Label>(summary.clusters.size());
      margins(graph.view(), graph.nodes(), labels, n_after, spec.objective(), {}, pulls.view(),
              margin, 1, never);
      EXPECT_GT(*std::ranges::min_element(margin), -1e-9);
      moves += summary.moves;
    }
  }
  EXPECT_GT(moves, 500);
}

TEST(Pulls, NodesAtHomeCountAsConnected) {
  // Two pairs without an edge between them, in one cluster that attracts a node of each.
  const SmallGraph graph = SmallGraph::from_matrix(5, {0, 1, 0, 0, 0,  //
                                                       1, 0, 1, 0, 0,  //
                                                       0, 1, 0, 0, 0,  //
                                                       0, 0, 0, 0, 1,  //
                                                       0, 0, 0, 1, 0});
  OwnedPulls owned;
  for (const bool pulled : {true, false, false, true, false}) {
    owned.add_row(pulled ? std::vector<std::pair<Label, double>>{{0, 1.0}}
                         : std::vector<std::pair<Label, double>>{});
  }
  const std::vector<Label> labels(5, 0);
  const ClusterPulls pulls(owned.view(), labels, 1);
  Never never;
  Ticker ticker(never);
  Connectivity connectivity(5);
  const GraphView view = graph.view();
  EXPECT_FALSE(connectivity.survives_leaving(view, labels, pulls, 1, ticker));
  EXPECT_TRUE(connectivity.survives_leaving(view, labels, pulls, 2, ticker));
  // Node 3 links node 4 with the others, and node 0 all of them with node 3.
  EXPECT_FALSE(connectivity.survives_leaving(view, labels, pulls, 3, ticker));
  EXPECT_FALSE(connectivity.survives_leaving(view, labels, pulls, 0, ticker));
  EXPECT_TRUE(connectivity.survives_leaving(view, labels, pulls, 4, ticker));
  // If the cluster attracts nodes 0, 2 and 3, they are connected without node 1.
  OwnedPulls more;
  for (const bool pulled : {true, false, true, true, false}) {
    more.add_row(pulled ? std::vector<std::pair<Label, double>>{{0, 1.0}}
                        : std::vector<std::pair<Label, double>>{});
  }
  const ClusterPulls around(more.view(), labels, 1);
  EXPECT_TRUE(connectivity.survives_leaving(view, labels, around, 1, ticker));
}

TEST(Pulls, LabelsOfEmptyHomesAreNotUsedAgain) {
  const SmallGraph graph = SmallGraph::from_matrix(3, {0, 1, 0, 1, 0, 1, 0, 1, 0});
  const Spec spec{"cpm", {0.1}, 0};
  Never never;
  Ticker ticker(never);
  ThreadTeam team(1);
  const std::vector<Label> labels{0, 1, 1};
  for (const bool reuses : {true, false}) {
    with_score(spec.objective().score, spec.objective().score_parameters, [&](const auto& score) {
      Clusters all = cluster_stats(graph.view(), graph.nodes(), labels, 2, team, ticker);
      ScoredGraphClusters clusters(score, spec.objective(), std::move(all), {}, 0, reuses);
      clusters.move(graph.nodes().singleton(0, 0), 0, 0, 1, 1);
      EXPECT_EQ(clusters.move(graph.nodes().singleton(2, 0), 1, 1, new_cluster, 0), reuses ? 0 : 2);
    });
  }
}

}  // namespace
}  // namespace powercut::testing
