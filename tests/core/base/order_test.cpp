#include "base/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace powercut {
namespace {

std::vector<Node> one_round(Order& order, Node run = 1) {
  std::vector<Node> nodes;
  order.for_each(run, [&](Node node) { nodes.push_back(node); });
  return nodes;
}

TEST(Order, VisitsEveryNodeOnceAndDifferentlyEachRound) {
  for (const Node n : {0, 1, 2, 3, 12, 97, 1000, (1 << 20) + 5}) {
    for (const Node run : {1, 16}) {
      Order order(n, 3);
      const std::vector<Node> first = one_round(order, run);
      std::vector<Node> sorted = first;
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(sorted.size(), static_cast<std::size_t>(n));
      for (Node i = 0; i < n; ++i) ASSERT_EQ(sorted[i], i);
      if (n > 96) {
        EXPECT_NE(one_round(order, run), first);
      }
    }
  }
}

TEST(Order, TakesConsecutiveNodesTogether) {
  Order order(1000, 2);
  const std::vector<Node> nodes = one_round(order, 8);
  for (std::size_t i = 0; i < nodes.size(); i += 8) {
    EXPECT_EQ(nodes[i] % 8, 0);
    for (std::size_t k = i; k < i + 8; ++k) {
      EXPECT_EQ(nodes[k], nodes[i] + static_cast<Node>(k - i));
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
