#include "search/conflicts.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "graphs/hierarchy.hpp"
#include "graphs/local_moves.hpp"
#include "graphs/multilevel.hpp"
#include "support.hpp"

namespace powercut::testing {
namespace {

using Pairs = std::set<std::pair<Node, Node>>;

OwnedConflicts make_conflicts(Node n, const std::set<Node>& apart, const Pairs& pairs) {
  std::vector<std::set<Node>> rows(n);
  for (const auto& [i, j] : pairs) {
    rows[i].insert(j);
    rows[j].insert(i);
  }
  OwnedConflicts conflicts;
  conflicts.offsets.push_back(0);
  for (Node i = 0; i < n; ++i) {
    conflicts.apart.push_back(apart.contains(i) ? 1 : 0);
    conflicts.others.insert(conflicts.others.end(), rows[i].begin(), rows[i].end());
    conflicts.offsets.push_back(static_cast<Entry>(conflicts.others.size()));
  }
  return conflicts;
}

/// Every fifth node apart, and as many random pairs as nodes.
OwnedConflicts random_conflicts(std::uint64_t seed, Node n) {
  Random random(seed);
  std::set<Node> apart;
  for (Node i = 0; i < n; i += 5) apart.insert(i);
  Pairs pairs;
  for (Node k = 0; k < n; ++k) {
    const Node i = static_cast<Node>(random.below(n)), j = static_cast<Node>(random.below(n));
    if (i != j) pairs.insert({i, j});
  }
  return make_conflicts(n, apart, pairs);
}

void expect_kept(const Conflicts& conflicts, std::span<const Label> labels) {
  std::set<Label> taken;
  for (Node i = 0; i < std::ssize(labels); ++i) {
    if (conflicts.apart[i] != 0) {
      EXPECT_TRUE(taken.insert(labels[i]).second) << i;
    }
    for (const Node other : conflicts.of(i)) EXPECT_NE(labels[i], labels[other]) << i;
  }
}

TEST(Conflicts, OfClustersAreThoseOfTheirMembers) {
  const OwnedConflicts nodes = make_conflicts(6, {1, 4}, {{0, 2}, {1, 2}, {3, 5}});
  const std::vector<Label> labels{0, 0, 1, 1, 2, 3};
  const OwnedConflicts clusters = aggregate(nodes.view(), labels, 4);
  EXPECT_EQ(clusters.apart, (LargeVector<std::uint8_t>{1, 0, 1, 0}));
  EXPECT_EQ(clusters.offsets, (LargeVector<Entry>{0, 1, 3, 3, 4}));
  EXPECT_EQ(clusters.others, (LargeVector<Node>{1, 0, 3, 1}));
  EXPECT_FALSE(aggregate({}, labels, 4).view().any());
}

TEST(Conflicts, FollowNodesThatMove) {
  const OwnedConflicts owned = make_conflicts(4, {0, 1}, {{2, 3}});
  std::vector<Label> labels{0, 1, 0, 1};
  ClusterConflicts conflicts(owned.view(), labels, 2);
  EXPECT_FALSE(conflicts.allow(0, 1));
  EXPECT_FALSE(conflicts.allow(2, 1));
  EXPECT_TRUE(conflicts.allow(0, new_cluster));
  EXPECT_TRUE(conflicts.allow(0, 2));  // opened after the start
  labels[1] = 5;
  conflicts.add_move(1, 1, 5);
  EXPECT_TRUE(conflicts.allow(0, 1));
  EXPECT_FALSE(conflicts.allow(0, 5));
  labels[3] = 0;
  conflicts.add_move(3, 1, 0);
  EXPECT_TRUE(conflicts.allow(2, 1));
}

TEST(Conflicts, AreKeptByLocalMoves) {
  Never never;
  Count moves = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const SmallGraph graph = random_coarse_graph(seed, 60);
    const OwnedConflicts conflicts = random_conflicts(seed, 60);
    for (const Spec& spec : all_specs(graph)) {
      std::vector<Label> labels = singletons(60);
      const GraphMoveSummary summary =
          local_moves(graph.view(), graph.nodes(), labels, 60, spec.objective(),
                      {.exhaustive = true, .seed = seed, .conflicts = conflicts.view()}, never);
      expect_kept(conflicts.view(), labels);
      EXPECT_NEAR(summary.after, naive_objective(graph, labels, spec), 1e-9);
      moves += summary.moves;
    }
  }
  EXPECT_GT(moves, 1000);
}

TEST(Conflicts, LeaveTheSecondBestTarget) {
  // Node 4 has three edges to the first triangle and two to the second, and conflicts with node 0.
  std::vector<double> matrix(49, 0);
  const auto link = [&](Node i, Node j) { matrix[i * 7 + j] = matrix[j * 7 + i] = 1; };
  for (const auto& [i, j] : Pairs{{0, 1}, {0, 2}, {1, 2}, {3, 5}, {3, 6}, {5, 6}}) link(i, j);
  for (const Node i : {0, 1, 2, 3, 5}) link(4, i);
  const SmallGraph graph = SmallGraph::from_matrix(7, matrix);
  const Spec spec{"cpm", {0.1}, 0};
  Never never;
  for (const bool conflict : {false, true}) {
    const OwnedConflicts owned = make_conflicts(7, {}, {{0, 4}});
    std::vector<Label> labels{0, 0, 0, 1, 2, 1, 1};
    GraphMoveOptions options;
    if (conflict) options.conflicts = owned.view();
    bool first[7] = {};
    first[4] = true;
    options.first = first;
    options.negligible = 1;  // one round
    local_moves(graph.view(), graph.nodes(), labels, 3, spec.objective(), options, never);
    EXPECT_EQ(labels[4], conflict ? 1 : 0);
  }
}

TEST(Conflicts, AreKeptWithinABatch) {
  // Eight leaves of a star at a time propose to join its center; one may.
  const Node n = 64;
  std::vector<double> matrix(n * n, 0);
  std::set<Node> leaves;
  Pairs pairs;
  bool first[n] = {};
  for (Node i = 1; i < n; ++i) {
    matrix[i] = matrix[i * n] = 1;
    first[i] = leaves.insert(i).second;
    for (Node j = 1; j < i; ++j) pairs.insert({j, i});
  }
  const SmallGraph graph = SmallGraph::from_matrix(n, matrix);
  const Spec spec{"cpm", {0.1}, 0};
  Never never;
  for (const OwnedConflicts& owned :
       {make_conflicts(n, leaves, {}), make_conflicts(n, {}, pairs)}) {
    std::vector<Label> labels = singletons(n);
    const GraphMoveOptions options{.first = first, .conflicts = owned.view()};
    const GraphMoveSummary summary =
        local_moves(graph.view(), graph.nodes(), labels, n, spec.objective(), options, never);
    EXPECT_GT(summary.moves, 0);
    expect_kept(owned.view(), labels);
  }
}

TEST(Conflicts, ThatEndLetNodesMove) {
  // Node 7 would join the first triangle, but conflicts with node 6, which leaves for the second.
  std::vector<double> matrix(64, 0);
  const auto link = [&](Node i, Node j) { matrix[i * 8 + j] = matrix[j * 8 + i] = 1; };
  for (const auto& [i, j] : Pairs{{0, 1}, {0, 2}, {1, 2}, {3, 4}, {3, 5}, {4, 5}}) link(i, j);
  for (const Node i : {0, 1, 2}) link(7, i);
  for (const Node i : {3, 4, 5}) link(6, i);
  const SmallGraph graph = SmallGraph::from_matrix(8, matrix);
  const Spec spec{"cpm", {0.1}, 0};
  const OwnedConflicts owned = make_conflicts(8, {}, {{6, 7}});
  std::vector<Label> labels{0, 0, 0, 1, 1, 1, 0, 2};
  GraphMoveOptions options;
  options.conflicts = owned.view();
  bool first[8] = {};
  first[6] = true;  // which has no edge to node 7
  options.first = first;
  Never never;
  local_moves(graph.view(), graph.nodes(), labels, 3, spec.objective(), options, never);
  EXPECT_EQ(labels, (std::vector<Label>{0, 0, 0, 1, 1, 1, 1, 0}));
}

TEST(Conflicts, AreKeptAtEveryLevel) {
  Never never;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Node n = 2000;
    const SmallGraph graph = sparse_graph(seed, n, 25);
    const OwnedConflicts owned = random_conflicts(seed, n);
    const Conflicts conflicts = owned.view();
    const Spec spec = all_specs(graph)[3];
    std::vector<std::vector<Label>> found;
    for (const int threads : {1, 3}) {
      std::vector<Label> labels = singletons(n), groups(n);
      GraphMoveOptions options{.n_threads = threads, .seed = seed, .conflicts = conflicts};
      cycle(graph.view(), graph.nodes(), labels, n, spec.objective(), options, never);
      expect_kept(conflicts, labels);
      const Label n_groups =
          coarsen(graph.view(), graph.nodes(), spec.objective(), spec.objective(), 0.1, threads,
                  seed, groups, never, nullptr, conflicts);
      expect_kept(conflicts, groups);
      EXPECT_LT(n_groups, n);
      std::vector<Label> joined = singletons(n_groups);
      group_moves(graph.view(), graph.nodes(), groups, joined, spec.objective(), options, never);
      for (Label& label : groups) label = joined[label];
      expect_kept(conflicts, groups);
      found.push_back(labels);
      found.push_back(groups);
    }
    EXPECT_EQ(found[0], found[2]);
    EXPECT_EQ(found[1], found[3]);
  }
}

}  // namespace
}  // namespace powercut::testing
