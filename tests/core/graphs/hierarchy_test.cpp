#include "graphs/hierarchy.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "support.hpp"

namespace powercut::testing {
namespace {

Partition filling(std::uint64_t seed, Node n, Label n_labels) {
  const std::vector<Label> labels = random_labels(seed, n, n_labels);
  Partition partition{{labels.begin(), labels.end()}, n_labels};
  for (Label c = 0; c < n_labels; ++c) partition.labels[c] = c;
  return partition;
}

/// The weight between each two rows.
std::map<std::pair<Node, Node>, double> entries_of(const GraphView& graph) {
  std::map<std::pair<Node, Node>, double> sums;
  for (Node i = 0; i < graph.rows(); ++i) {
    graph.for_each(i, [&](Node j, double w) { sums[{i, j}] += w; });
  }
  return sums;
}

void expect_same_graph(const Hierarchy& hierarchy, const OwnedGraph& made) {
  const auto expected = entries_of(made.view());
  const auto found = entries_of(hierarchy.graph());
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [place, w] : expected) EXPECT_NEAR(found.at(place), w, 1e-12);
  const NodeArrays nodes = hierarchy.nodes();
  for (Node i = 0; i < hierarchy.size(); ++i) {
    const ClusterStats node = nodes.singleton(i, 0), twin = made.nodes().singleton(i, 0);
    EXPECT_NEAR(node.volume, twin.volume, 1e-12);
    EXPECT_NEAR(node.weight, twin.weight, 1e-12);
    EXPECT_EQ(node.count, twin.count);
  }
}

/// Levels of many groups are read through their members, those of a few are stored.
TEST(Hierarchy, HasTheGraphsThatAggregationMakes) {
  Never never;
  const SmallGraph graph = random_coarse_graph(3, 60);
  Hierarchy hierarchy(graph.view(), graph.nodes(), 1, never);
  OwnedGraph made = aggregate(graph.view(), graph.nodes(), all_singletons(60).labels, 60, 1, never);
  for (const Label groups : {40, 25, 3, 2}) {
    const Partition partition = filling(groups, hierarchy.size(), groups);
    made = aggregate(made.view(), made.nodes(), partition.labels, groups, 1, never);
    hierarchy.coarsen(partition);
    ASSERT_EQ(hierarchy.size(), groups);
    expect_same_graph(hierarchy, made);
  }
}

TEST(Hierarchy, GoesBackLevelByLevel) {
  Never never;
  const SmallGraph graph = random_graph(4, 50);
  Hierarchy hierarchy(graph.view(), graph.nodes(), 1, never);
  const Partition first = filling(1, 50, 30), second = filling(2, 30, 3);
  hierarchy.coarsen(first);
  const auto finer = entries_of(hierarchy.graph());
  hierarchy.coarsen(second);
  Partition partition = all_singletons(3);
  hierarchy.refine(partition);
  EXPECT_EQ(partition.labels, second.labels);
  EXPECT_EQ(entries_of(hierarchy.graph()), finer);
  hierarchy.refine(partition);
  for (Node i = 0; i < 50; ++i) {
    EXPECT_EQ(partition.labels[i], second.labels[first.labels[i]]);
  }
  EXPECT_TRUE(hierarchy.has_one_level());
  EXPECT_EQ(entries_of(hierarchy.graph()), entries_of(graph.view()));
}

TEST(Hierarchy, MovesHaveTheSameJOnEveryLevel) {
  Never never;
  const SmallGraph graph = random_coarse_graph(5, 48);
  for (const Spec& spec : all_specs(graph)) {
    Hierarchy hierarchy(graph.view(), graph.nodes(), 1, never);
    const Partition groups = filling(6, 48, 30);
    hierarchy.coarsen(groups);
    Partition pieces = all_singletons(30);
    const double j = hierarchy.move(pieces, spec.objective(), 0, 7).after;
    std::vector<Label> labels(48);
    for (Node i = 0; i < 48; ++i) labels[i] = pieces.labels[groups.labels[i]];
    EXPECT_EQ(number_of_clusters(labels), static_cast<std::size_t>(pieces.n)) << spec.score;
    const double expected = naive_objective(graph, labels, spec);
    EXPECT_NEAR(j, expected, 1e-9 * (1 + std::abs(expected))) << spec.score;
  }
}

TEST(Hierarchy, JoinsNoLongerThanLevelsShrink) {
  Never never;
  Ticker ticker(never);
  const SmallGraph graph = sparse_graph(8, 600, 40);
  const Spec spec = all_specs(graph)[3];
  const auto sizes = [&](double least_joined) {
    Hierarchy hierarchy(graph.view(), graph.nodes(), 1, never);
    Random random(9);
    std::vector<Node> found{600};
    hierarchy.join(spec.objective(), spec.objective(), 1, least_joined, random,
                   [&](const Partition& joined) { found.push_back(joined.n); });
    EXPECT_EQ(hierarchy.size(), found.back());
    const Clusters sums = hierarchy.singleton_sums();
    const Clusters expected =
        cluster_stats(hierarchy.graph(), hierarchy.nodes(), all_singletons(hierarchy.size()).labels,
                      hierarchy.size(), hierarchy.team(), ticker);
    for (std::size_t c = 0; c < sums.size(); ++c) EXPECT_EQ(sums[c].inside, expected[c].inside);
    EXPECT_EQ(sums.size(), found.size() > 1 ? expected.size() : 0);
    return found;
  };
  const std::vector<Node> all = sizes(0);
  ASSERT_GT(all.size(), 3u);
  const auto joined = [&](std::size_t k) {  // the share of nodes that level k has fewer
    return 1 - static_cast<double>(all[k]) / all[k - 1];
  };
  for (std::size_t last = 1; last < all.size(); ++last) {
    for (const double least : {joined(last) - 1e-9, joined(last) + 1e-9}) {
      std::vector<Node> expected{all[0]};
      for (std::size_t k = 1; k < all.size(); ++k) {
        if (joined(k) < least) break;
        expected.push_back(all[k]);
      }
      EXPECT_EQ(sizes(least), expected);
    }
  }
}

TEST(Coarsen, JoinsWhileThatGains) {
  const SmallGraph graph = random_graph(8, 80, 4);
  for (const Spec& spec : all_specs(graph)) {
    if (spec.score != "modularity") continue;
    std::vector<Label> groups(80), again(80);
    Never never;
    const Label n = coarsen(graph.view(), graph.nodes(), spec.objective(), spec.objective(), 0, 1,
                            9, groups, never);
    EXPECT_EQ(number_of_clusters(groups), static_cast<std::size_t>(n));
    EXPECT_LT(naive_objective(graph, groups, spec), naive_objective(graph, singletons(80), spec));
    // Merging any two clusters does not lower J.
    for (Label a = 0; a < n; ++a) {
      for (Label b = 0; b < a; ++b) {
        std::vector<Label> merged = groups;
        for (Label& label : merged) label = label == a ? b : label;
        EXPECT_GT(naive_objective(graph, merged, spec),
                  naive_objective(graph, groups, spec) - 1e-9);
      }
    }
    coarsen(graph.view(), graph.nodes(), spec.objective(), spec.objective(), 0, 3, 9, again, never);
    EXPECT_EQ(again, groups);
  }
}

TEST(Coarsen, LeavesWhatWasReachedWhenItIsCancelled) {
  const SmallGraph graph = random_graph(10, 500, 4);
  const Spec spec = all_specs(graph)[3];
  std::vector<Label> groups(500, -1);
  AfterRequests soon(0);
  EXPECT_THROW(coarsen(graph.view(), graph.nodes(), spec.objective(), spec.objective(), 0, 1, 9,
                       groups, soon),
               Cancelled);
  EXPECT_EQ(groups, singletons(500));
}

}  // namespace
}  // namespace powercut::testing
