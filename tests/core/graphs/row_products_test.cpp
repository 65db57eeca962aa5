#include "graphs/row_products.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support.hpp"

namespace powercut {
namespace {

using testing::Never;
using testing::random_coarse_graph;
using testing::SmallGraph;

TEST(RowProducts, AreThoseOfTheDenseMatrix) {
  const SmallGraph graph = random_coarse_graph(1, 14);
  std::vector<double> x(graph.n);
  for (Node i = 0; i < graph.n; ++i) x[i] = 1.0 / (1 + i);
  for (const int n_threads : {1, 3}) {
    Never never;
    Ticker ticker(never);
    ThreadTeam team(n_threads);
    std::vector<double> product(graph.n);
    row_products(graph.view(), x, product, team, ticker);
    for (Node k = 0; k < graph.n; ++k) {
      double expected = 0;
      for (Entry e = graph.offsets[k]; e < graph.offsets[k + 1]; ++e) {
        expected += graph.weights[e] * x[graph.indices[e]];
      }
      EXPECT_DOUBLE_EQ(product[k], expected);
    }
  }
}

}  // namespace
}  // namespace powercut
