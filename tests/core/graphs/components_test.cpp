#include "graphs/components.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "support.hpp"

namespace powercut {
namespace {

using testing::AfterRequests;
using testing::Never;
using testing::SmallGraph;

std::vector<Label> pieces_of(const SmallGraph& graph, const std::vector<Label>& labels,
                             Label& n_components) {
  Never never;
  std::vector<Label> components(graph.n);
  ThreadTeam team(2);
  n_components = split_components(graph.view(), labels, components, team, never);
  return components;
}

TEST(SplitComponents, NumbersComponentsBySmallestMember) {
  // A path 0 - 1 - 2 - 3 - 4 and an isolated node.
  std::vector<double> matrix(36, 0);
  for (Node i = 0; i < 4; ++i) matrix[i * 6 + i + 1] = matrix[(i + 1) * 6 + i] = 1;
  const SmallGraph path = SmallGraph::from_matrix(6, matrix);
  Label n_components = 0;
  EXPECT_EQ(pieces_of(path, {7, 7, 7, 7, 7, 7}, n_components),
            (std::vector<Label>{0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(n_components, 2);
  EXPECT_EQ(pieces_of(path, {3, 1, 3, 3, 1, 1}, n_components),
            (std::vector<Label>{0, 1, 2, 2, 3, 4}));
  EXPECT_EQ(n_components, 5);
}

TEST(SplitComponents, AgreeWithPathsOfEveryLength) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SmallGraph graph = testing::random_graph(seed, 30, 15);
    const std::vector<Label> labels = testing::random_labels(seed, graph.n, 4);
    // Warshall's closure of the edges inside clusters.
    std::vector<char> reaches(graph.n * graph.n, 0);
    for (Node i = 0; i < graph.n; ++i) {
      reaches[i * graph.n + i] = 1;
      for (Entry e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
        const Node j = graph.indices[e];
        if (labels[i] == labels[j]) reaches[i * graph.n + j] = 1;
      }
    }
    for (Node k = 0; k < graph.n; ++k) {
      for (Node i = 0; i < graph.n; ++i) {
        for (Node j = 0; j < graph.n; ++j) {
          if (reaches[i * graph.n + k] && reaches[k * graph.n + j]) reaches[i * graph.n + j] = 1;
        }
      }
    }
    Label n_components = 0;
    const std::vector<Label> components = pieces_of(graph, labels, n_components);
    Label opened = 0;
    for (Node i = 0; i < graph.n; ++i) {
      ASSERT_LE(components[i], opened);
      if (components[i] == opened) ++opened;
      for (Node j = 0; j < graph.n; ++j) {
        EXPECT_EQ(components[i] == components[j], reaches[i * graph.n + j] == 1) << i << ' ' << j;
      }
    }
    EXPECT_EQ(n_components, opened);
    EXPECT_GT(n_components, 4);  // some cluster was disconnected, or the test shows nothing
  }
}

TEST(SplitComponents, LeavesClustersThatCannotSplitWhole) {
  // Two paths 0 - 2 and 3 - 5, each of one cluster, and one node of each in a third cluster.
  std::vector<double> matrix(36, 0);
  matrix[2] = matrix[12] = matrix[23] = matrix[33] = 1;
  const SmallGraph graph = SmallGraph::from_matrix(6, matrix);
  const std::vector<Label> labels{0, 2, 0, 1, 2, 1};
  std::vector<Label> components(6);
  Never never;
  ThreadTeam team(1);
  const auto split = [&](std::array<bool, 3> may_split) {
    return split_components(graph.view(), labels, components, team, never, may_split);
  };
  EXPECT_EQ(split({true, true, false}), 3);
  EXPECT_EQ(components, (std::vector<Label>{0, 1, 0, 2, 1, 2}));
  EXPECT_EQ(split({false, false, true}), 4);
  EXPECT_EQ(components, (std::vector<Label>{0, 1, 0, 2, 3, 2}));
}

std::vector<std::uint8_t> separated_pairs(const SmallGraph& graph, const std::vector<Label>& labels,
                                          const std::vector<Node>& from,
                                          const std::vector<Node>& to, Entry most_entries) {
  Never never;
  std::vector<std::uint8_t> separated(from.size());
  find_separated(graph.view(), labels, from, to, most_entries, separated, never);
  return separated;
}

TEST(FindSeparated, AgreesWithComponents) {
  int n_separated = 0, n_connected = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SmallGraph graph = testing::random_graph(seed, 30, 45);
    const std::vector<Label> labels = testing::random_labels(seed, graph.n, 2);
    Label n_components = 0;
    const std::vector<Label> components = pieces_of(graph, labels, n_components);
    std::vector<Node> from, to;
    for (Node i = 0; i < graph.n; ++i) {
      for (Node j = 0; j < graph.n; ++j) {
        if (labels[i] != labels[j]) continue;
        from.push_back(i);
        to.push_back(j);
      }
    }
    const auto separated = separated_pairs(graph, labels, from, to, 1'000'000);
    for (std::size_t pair = 0; pair < from.size(); ++pair) {
      EXPECT_EQ(separated[pair] == 0, components[from[pair]] == components[to[pair]]);
      ++(separated[pair] == 0 ? n_connected : n_separated);
    }
  }
  EXPECT_GT(n_separated, 100);
  EXPECT_GT(n_connected, 100);
}

TEST(FindSeparated, TakesPairsAsSeparatedOnceItHasReadEnough) {
  const SmallGraph complete = SmallGraph::from_matrix(20, std::vector<double>(400, 1));
  const std::vector<Label> one_cluster(20, 0);
  // The first node has the second for a neighbor, and 20 entries in its row.
  const auto separated = [&](Entry most_entries) {
    return separated_pairs(complete, one_cluster, {0, 1, 2}, {1, 2, 0}, most_entries);
  };
  EXPECT_EQ(separated(0), (std::vector<std::uint8_t>{1, 1, 1}));
  EXPECT_EQ(separated(30), (std::vector<std::uint8_t>{0, 0, 1}));
  EXPECT_EQ(separated(100), (std::vector<std::uint8_t>{0, 0, 0}));
}

TEST(SplitComponents, CanBeCancelled) {
  const SmallGraph graph = testing::sparse_graph(1, 10'000, 10);
  std::vector<Label> components(graph.n);
  AfterRequests token(0);
  ThreadTeam team(1);
  EXPECT_THROW(
      split_components(graph.view(), std::vector<Label>(graph.n, 0), components, team, token),
      Cancelled);
}

}  // namespace
}  // namespace powercut
