#include "order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace powercut {
namespace {

std::vector<Node> one_round(Order& order) {
  std::vector<Node> nodes;
  order.for_each([&](Node node) { nodes.push_back(node); });
  return nodes;
}

TEST(Order, VisitsEveryNodeOnceAndDifferentlyEachRound) {
  for (const Node n : {0, 1, 2, 3, 12, 97, 1000, (1 << 20) + 5}) {
    Order order(n, 3);
    const std::vector<Node> first = one_round(order);
    std::vector<Node> sorted = first;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted.size(), static_cast<std::size_t>(n));
    for (Node i = 0; i < n; ++i) ASSERT_EQ(sorted[i], i);
    if (n > 12) {
      EXPECT_NE(one_round(order), first);
    }
  }
}

TEST(Order, DependsOnTheSeedAlone) {
  Order one(1000, 5), same(1000, 5), other(1000, 6);
  const std::vector<Node> nodes = one_round(one);
  EXPECT_EQ(nodes, one_round(same));
  EXPECT_NE(nodes, one_round(other));
}

TEST(Order, FinishesAWindowBeforeTheNext) {
  Order order((1 << 20) + 1000, 1);
  const std::vector<Node> nodes = one_round(order);
  for (Node i = 0; i < 1 << 20; i += 997) EXPECT_LT(nodes[i], 1 << 20);
}

}  // namespace
}  // namespace powercut
