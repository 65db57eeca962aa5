#include "graphs/view.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

namespace powercut {
namespace {

using Entries = std::vector<std::tuple<Node, double>>;

Entries visited(const GraphView& view, Node node) {
  Entries entries;
  view.for_each(node, [&](Node j, double w) { entries.emplace_back(j, w); });
  return entries;
}

/// The same row, by random access.
Entries looked_up(const GraphView& view, Node node) {
  Entries entries;
  for (Entry e = 0; e < view.length(node); ++e) {
    entries.emplace_back(view.neighbor(node, e), view.weight(node, e));
  }
  return entries;
}

void expect_row(const GraphView& view, Node node, const Entries& entries) {
  EXPECT_EQ(visited(view, node), entries);
  EXPECT_EQ(looked_up(view, node), entries);
}

template <class T>
constexpr GraphView::Stored stored_as =
    std::is_same_v<T, float> ? GraphView::Stored::float32 : GraphView::Stored::float64;

template <class Types>
class CompressedRows : public ::testing::Test {};

using StoredTypes = ::testing::Types<
    std::tuple<std::int32_t, std::int32_t, float>, std::tuple<std::int32_t, std::int32_t, double>,
    std::tuple<std::int32_t, std::int64_t, float>, std::tuple<std::int32_t, std::int64_t, double>,
    std::tuple<std::int64_t, std::int32_t, float>, std::tuple<std::int64_t, std::int32_t, double>,
    std::tuple<std::int64_t, std::int64_t, float>, std::tuple<std::int64_t, std::int64_t, double>>;
TYPED_TEST_SUITE(CompressedRows, StoredTypes);

TYPED_TEST(CompressedRows, ReadEveryTypeAsItIsStored) {
  using Offset = std::tuple_element_t<0, TypeParam>;
  using Index = std::tuple_element_t<1, TypeParam>;
  using Weight = std::tuple_element_t<2, TypeParam>;
  const std::vector<Offset> offsets{0, 2, 2, 5};
  const std::vector<Index> indices{1, 2, 0, 1, 2};
  const std::vector<Weight> weights{0.5, 1.5, 2.5, 3.5, 4.5};
  const GraphView view =
      GraphView::compressed(3, offsets.data(), sizeof(Offset) == 8, indices.data(),
                            sizeof(Index) == 8, weights.data(), stored_as<Weight>);
  EXPECT_EQ(view.rows(), 3);
  expect_row(view, 0, {{1, 0.5}, {2, 1.5}});
  expect_row(view, 1, {});
  expect_row(view, 2, {{0, 2.5}, {1, 3.5}, {2, 4.5}});
}

TYPED_TEST(CompressedRows, CountAsOnesWithoutWeights) {
  using Offset = std::tuple_element_t<0, TypeParam>;
  using Index = std::tuple_element_t<1, TypeParam>;
  const std::vector<Offset> offsets{0, 1, 3};
  const std::vector<Index> indices{1, 0, 1};
  const GraphView view =
      GraphView::compressed(2, offsets.data(), sizeof(Offset) == 8, indices.data(),
                            sizeof(Index) == 8, nullptr, GraphView::Stored::none);
  expect_row(view, 0, {{1, 1.0}});
  expect_row(view, 1, {{0, 1.0}, {1, 1.0}});
}

TEST(GraphView, OffsetsMayPassTwoToThe31) {
  const std::vector<std::int64_t> offsets{0, 5'000'000'000, 5'000'000'003};
  const GraphView view = GraphView::compressed(2, offsets.data(), true, nullptr, false, nullptr,
                                               GraphView::Stored::none);
  EXPECT_EQ(view.length(0), 5'000'000'000);
  EXPECT_EQ(view.begin_of(1), 5'000'000'000);
  EXPECT_EQ(view.length(1), 3);
  EXPECT_EQ(view.size(), 5'000'000'003);
}

TEST(GraphView, MayHaveNoRows) {
  const std::vector<std::int32_t> offsets{0};
  const GraphView view = GraphView::compressed(0, offsets.data(), false, nullptr, false, nullptr,
                                               GraphView::Stored::none);
  EXPECT_EQ(view.rows(), 0);
}

template <class Weight>
class DenseRows : public ::testing::Test {};
using DenseTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DenseRows, DenseTypes);

TYPED_TEST(DenseRows, VisitEveryColumnZerosToo) {
  const std::vector<TypeParam> weights{0, 1, 2, 3, 0.5, 0};
  const GraphView view = GraphView::dense(2, 3, weights.data(), stored_as<TypeParam>);
  expect_row(view, 0, {{0, 0.0}, {1, 1.0}, {2, 2.0}});
  expect_row(view, 1, {{0, 3.0}, {1, 0.5}, {2, 0.0}});
}

TEST(GraphView, DensePositionsMayPassTwoToThe31) {
  const GraphView view = GraphView::dense(60'000, 60'000, nullptr, GraphView::Stored::float64);
  EXPECT_EQ(view.begin_of(59'999), 3'599'940'000);
}

}  // namespace
}  // namespace powercut
