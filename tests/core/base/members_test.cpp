#include "base/members.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace powercut {
namespace {

TEST(GroupByLabel, ListsMembersInAscendingOrder) {
  const std::vector<Label> labels{2, 0, 2, 3, 0, 2};
  const Members groups = group_by_label(labels, 5);
  EXPECT_EQ(groups.start, (LargeVector<Node>{0, 2, 2, 5, 6, 6}));
  EXPECT_EQ(groups.members, (LargeVector<Node>{1, 4, 0, 2, 5, 3}));
}

}  // namespace
}  // namespace powercut
