#include "graphs/symmetry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "support.hpp"

namespace powercut {
namespace {

using testing::Never;
using testing::random_graph;
using testing::SmallGraph;

using Place = std::optional<std::pair<Node, Node>>;
const Place nowhere;

Place as_pair(const std::optional<Position>& position) {
  if (!position) return std::nullopt;
  return std::pair{position->row, position->column};
}

Place asymmetry(const SmallGraph& graph, double tolerance = 0) {
  Never never;
  return as_pair(first_asymmetry(graph.view(), tolerance, never));
}

std::vector<double> matrix_of(const SmallGraph& graph) {
  std::vector<double> matrix(graph.n * graph.n, 0);
  for (Node i = 0; i < graph.n; ++i) {
    for (Entry e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
      matrix[i * graph.n + graph.indices[e]] = graph.weights[e];
    }
  }
  return matrix;
}

TEST(FirstAsymmetry, NoneInSymmetricGraphs) {
  EXPECT_EQ(asymmetry(SmallGraph()), nowhere);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_EQ(asymmetry(random_graph(seed, 20)), nowhere);
  }
}

TEST(FirstAsymmetry, EveryMissingMirrorImageIsFoundWhereItIs) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const SmallGraph graph = random_graph(seed, 12);
    std::vector<double> symmetric = matrix_of(graph);
    if (seed % 2 == 1) {  // all weights 1: entries differ only by their positions
      for (double& w : symmetric) w = w > 0;
    }
    for (Node i = 0; i < graph.n; ++i) {
      for (Node j = 0; j < graph.n; ++j) {
        if (i == j || symmetric[i * graph.n + j] == 0) continue;
        std::vector<double> matrix = symmetric;
        matrix[i * graph.n + j] = 0;  // leaves (j, i) without its mirror image
        EXPECT_EQ(asymmetry(SmallGraph::from_matrix(graph.n, matrix)), (std::pair{j, i}));
      }
    }
  }
}

TEST(FirstAsymmetry, EveryDifferentWeightIsFoundAtTheUpperOfTheTwo) {
  const SmallGraph graph = random_graph(3, 12);
  const std::vector<double> symmetric = matrix_of(graph);
  for (Node i = 0; i < graph.n; ++i) {
    for (Node j = 0; j < graph.n; ++j) {
      if (i == j || symmetric[i * graph.n + j] == 0) continue;
      std::vector<double> matrix = symmetric;
      matrix[i * graph.n + j] *= 1.5;
      EXPECT_EQ(asymmetry(SmallGraph::from_matrix(graph.n, matrix)),
                (std::pair{std::min(i, j), std::max(i, j)}));
    }
  }
}

TEST(FirstAsymmetry, OfManyOneThatIsThere) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    constexpr Node n = 7;
    std::vector<double> matrix(n * n, 0);
    for (double& w : matrix) w = random.uniform() < 0.4 ? 1 + random.below(2) : 0;
    const Place place = asymmetry(SmallGraph::from_matrix(n, matrix));
    ASSERT_TRUE(place.has_value());  // no seed here happens to be symmetric
    const auto [i, j] = *place;
    EXPECT_NE(matrix[i * n + j], 0) << "the entry must be stored";
    EXPECT_NE(matrix[i * n + j], matrix[j * n + i]);
  }
}

/// One-way edges whose sums by row and by column, or whose bits, are those of a symmetric matrix.
TEST(FirstAsymmetry, OneWayEdgesDoNotCancelEachOther) {
  const SmallGraph cycle = SmallGraph::from_matrix(3, {0, 1, 0, 0, 0, 1, 1, 0, 0});
  EXPECT_NE(asymmetry(cycle), nowhere);
  for (int bit = 0; bit < 8; ++bit) {
    constexpr Node n = 256;
    std::vector<double> matrix(n * n, 0);
    const Node other = 1 ^ (1 << bit);  // its pair with 0 differs from (0, 1) in one bit
    if (other == 0) continue;
    matrix[0 * n + 1] = 1;
    // The weight has the same difference, so that the exclusive or of pair and weight is equal.
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(1.0) ^ (std::uint64_t{1} << bit);
    matrix[other * n + 0] = std::bit_cast<double>(bits);
    EXPECT_NE(asymmetry(SmallGraph::from_matrix(n, matrix), 1e-8), nowhere);
  }
}

TEST(FirstAsymmetry, ToleranceIsRelativeToTheLarger) {
  const SmallGraph graph = SmallGraph::from_matrix(2, {0, 1000, 1001, 0});
  EXPECT_EQ(asymmetry(graph, 1e-4), (std::pair<Node, Node>{0, 1}));
  EXPECT_EQ(asymmetry(graph, 0.9985e-3), (std::pair<Node, Node>{0, 1}));
  EXPECT_EQ(asymmetry(graph, 0.9995e-3), nowhere);
}

TEST(FirstAsymmetry, DenseRows) {
  Never never;
  std::vector<float> matrix{1, 2, 0, 2, 0, 3, 0, 3, 0};
  const auto view = GraphView::dense(3, 3, matrix.data(), GraphView::Stored::float32);
  EXPECT_EQ(as_pair(first_asymmetry(view, 0, never)), nowhere);
  matrix[7] = 4;
  EXPECT_EQ(as_pair(first_asymmetry(view, 0, never)), (std::pair<Node, Node>{1, 2}));
}

TEST(FirstAsymmetry, CanBeCancelled) {
  const SmallGraph graph = SmallGraph::from_matrix(300, std::vector<double>(90'000, 1));
  testing::AfterRequests now(0);
  EXPECT_THROW(first_asymmetry(graph.view(), 0, now), Cancelled);
}

}  // namespace
}  // namespace powercut
