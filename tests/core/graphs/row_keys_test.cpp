#include "graphs/row_keys.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "support.hpp"

namespace powercut {
namespace {

using testing::Never;
using Keys = std::vector<std::uint64_t>;

Keys keys_of(const GraphView& rows) {
  Never never;
  Keys keys(rows.rows());
  row_keys(rows, keys, never);
  return keys;
}

TEST(RowKeys, DependOnTheValuesAlone) {
  const std::vector<double> dense{0, 0.5, 2, 0, 0, 0};
  const std::vector<float> single(dense.begin(), dense.end());
  const Keys expected = keys_of(GraphView::dense(2, 3, dense.data(), GraphView::Stored::float64));
  EXPECT_EQ(keys_of(GraphView::dense(2, 3, single.data(), GraphView::Stored::float32)), expected);

  // The same rows, sparse: out of order and with a stored zero.
  const std::vector<std::int64_t> offsets{0, 2, 3};
  const std::vector<std::int32_t> indices{2, 1, 0};
  const std::vector<float> weights{2, 0.5F, 0};
  EXPECT_EQ(keys_of(GraphView::compressed(2, offsets.data(), true, indices.data(), false,
                                          weights.data(), GraphView::Stored::float32)),
            expected);
}

TEST(RowKeys, AbsentWeightsAreOnes) {
  const std::vector<std::int32_t> offsets{0, 2};
  const std::vector<std::int32_t> indices{0, 2};
  const std::vector<double> dense{1, 0, 1};
  EXPECT_EQ(keys_of(GraphView::compressed(1, offsets.data(), false, indices.data(), false, nullptr,
                                          GraphView::Stored::none)),
            keys_of(GraphView::dense(1, 3, dense.data(), GraphView::Stored::float64)));
}

TEST(RowKeys, TellDifferentRowsApart) {
  // Every row of four columns with values 0 to 4: permutations and equal sums among them.
  std::vector<double> rows;
  for (int row = 0; row < 625; ++row) {
    for (int power = 1; power < 625; power *= 5) rows.push_back(row / power % 5);
  }
  const Keys keys = keys_of(GraphView::dense(625, 4, rows.data(), GraphView::Stored::float64));
  EXPECT_EQ(std::set<std::uint64_t>(keys.begin(), keys.end()).size(), 625U);
}

TEST(RowKeys, CanBeCancelled) {
  const std::vector<double> rows(90'000, 1);
  Keys keys(300);
  testing::AfterRequests token(0);
  EXPECT_THROW(
      row_keys(GraphView::dense(300, 300, rows.data(), GraphView::Stored::float64), keys, token),
      Cancelled);
}

}  // namespace
}  // namespace powercut
