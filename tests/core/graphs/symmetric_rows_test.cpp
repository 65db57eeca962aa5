#include "graphs/symmetric_rows.hpp"

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "base/random.hpp"
#include "support.hpp"

namespace powercut {
namespace {

using testing::Never;
using Triple = std::tuple<Node, Node, double>;
using Matrix = std::map<std::pair<Node, Node>, double>;

Rows rows_of(Node n, const std::vector<Triple>& entries, bool weighted, Mirror mirror) {
  Never never;
  Ticker ticker(never);
  RowBuilder rows(n, weighted);
  for (const auto& [i, j, w] : entries) rows.add(i, j, w);
  return rows.take(mirror, ticker);
}

/// The same by a map of all pairs.
Matrix expected(const std::vector<Triple>& entries, Mirror mirror) {
  Matrix given;
  for (const auto& [i, j, w] : entries) given[{i, j}] += w;
  Matrix both = given;
  for (const auto& [pair, w] : given) both[{pair.second, pair.first}];
  Matrix matrix;
  for (const auto& [pair, there] : both) {
    const double back = both.at({pair.second, pair.first});
    const double w = pair.first == pair.second ? there
                     : mirror == Mirror::max   ? std::max(there, back)
                     : mirror == Mirror::mean  ? (there + back) / 2
                                               : there + back;
    if (w != 0) matrix[pair] = w;
  }
  return matrix;
}

Matrix matrix_of(const Rows& rows) {
  Matrix matrix;
  for (Node i = 0; i + 1 < static_cast<Node>(rows.offsets.size()); ++i) {
    for (Entry e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
      if (e > rows.offsets[i]) {
        EXPECT_LT(rows.columns[e - 1], rows.columns[e]);
      }
      matrix[{i, rows.columns[e]}] = rows.weights.empty() ? 1.0 : rows.weights[e];
    }
  }
  return matrix;
}

TEST(SymmetricRows, AreThoseOfAMap) {
  Random random(0);
  for (int trial = 0; trial < 200; ++trial) {
    // Few nodes, one bucket each, or so many that several share one.
    const Node n = static_cast<Node>(trial % 100 >= 98 ? 3000 : 1 + random.below(8));
    const bool weighted = trial % 2 == 0;
    std::vector<Triple> entries(random.below(n < 10 ? 20 : 20'000));
    for (auto& [i, j, w] : entries) {
      i = static_cast<Node>(random.below(n));
      j = static_cast<Node>(random.below(n));
      w = weighted ? static_cast<double>(random.below(3)) : 1.0;
    }
    for (const Mirror mirror : {Mirror::sum, Mirror::max, Mirror::mean}) {
      const Rows rows = rows_of(n, entries, weighted, mirror);
      ASSERT_EQ(rows.offsets.size(), static_cast<std::size_t>(n) + 1);
      ASSERT_EQ(matrix_of(rows), expected(entries, mirror));
    }
  }
}

TEST(SymmetricRows, HaveNoWeightsWhereAllAreOne) {
  EXPECT_TRUE(rows_of(2, {{0, 1, 1}, {1, 0, 1}}, false, Mirror::max).weights.empty());
  EXPECT_TRUE(rows_of(2, {{0, 1, 0.5}, {0, 1, 0.5}}, true, Mirror::sum).weights.empty());
  EXPECT_EQ(rows_of(2, {{0, 1, 1}, {1, 0, 1}}, false, Mirror::sum).weights,
            (LargeVector<double>{2, 2}));
}

TEST(SymmetricRows, RefuseEntriesThatDiffer) {
  EXPECT_EQ(
      rows_of(2, {{0, 1, 2}, {1, 0, 2 + 1e-9}, {1, 1, 3}}, true, Mirror::equal).columns.size(), 3U);
  try {
    rows_of(3, {{2, 1, 2}, {1, 2, 3}}, true, Mirror::equal);
    FAIL() << "nothing was thrown";
  } catch (const Asymmetric& found) {
    EXPECT_EQ(std::tuple(found.row, found.column, found.there, found.back),
              std::tuple(1, 2, 3.0, 2.0));
  }
}

}  // namespace
}  // namespace powercut
