#include "graphs/stars.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support.hpp"

namespace powercut::testing {
namespace {

constexpr Label most = 5;
constexpr double few_edges = 0.7;

bool has_many_edges(const SmallGraph& graph, Node i) {
  const double mean = static_cast<double>(graph.indices.size()) / graph.n;
  return static_cast<double>(graph.offsets[i + 1] - graph.offsets[i]) >= few_edges * mean;
}

bool are_neighbors(const SmallGraph& graph, Node i, Node j) {
  return std::binary_search(graph.indices.begin() + graph.offsets[i],
                            graph.indices.begin() + graph.offsets[i + 1], j);
}

/// The first member of each group is its center. Labels follow the order of the centers.
TEST(Stars, HoldACenterAndItsNeighborsAndLeaveNoneThatIsFree) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const SmallGraph graph = sparse_graph(seed, 500, 100);
    const Partition groups = stars(graph.view(), most, few_edges);
    std::vector<std::vector<Node>> members(groups.n);
    for (Node i = 0; i < graph.n; ++i) members[groups.labels[i]].push_back(i);
    std::size_t largest = 0;
    for (const std::vector<Node>& star : members) {
      ASSERT_FALSE(star.empty());
      largest = std::max(largest, star.size());
      const Node center = star.front();
      for (const Node leaf : star) {
        if (leaf == center) continue;
        EXPECT_TRUE(are_neighbors(graph, center, leaf));
        EXPECT_TRUE(has_many_edges(graph, center) && has_many_edges(graph, leaf));
      }
      if (star.size() > 1 || !has_many_edges(graph, center)) continue;
      for (Node other = 0; other < graph.n; ++other) {
        EXPECT_FALSE(are_neighbors(graph, center, other) && has_many_edges(graph, other) &&
                     groups.labels[other] > groups.labels[center])
            << "a neighbor was free";
      }
    }
    EXPECT_EQ(largest, static_cast<std::size_t>(most));
    EXPECT_LT(groups.n, graph.n / 2);
  }
}

TEST(Stars, AreTheNodesWhereThereAreNoEdges) {
  const SmallGraph graph = SmallGraph::from_matrix(3, std::vector<double>(9, 0));
  EXPECT_EQ(stars(graph.view(), most, few_edges).n, 3);
  EXPECT_EQ(stars(SmallGraph::from_matrix(0, {}).view(), most, few_edges).n, 0);
}

}  // namespace
}  // namespace powercut::testing
