#include "base/members.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.hpp"

namespace powercut {
namespace {

TEST(GroupByLabel, ListsMembersInAscendingOrder) {
  const std::vector<Label> labels{2, 0, 2, 3, 0, 2};
  const Members groups = group_by_label(labels, 5);
  EXPECT_EQ(groups.start, (LargeVector<Node>{0, 2, 2, 5, 6, 6}));
  EXPECT_EQ(groups.members, (LargeVector<Node>{1, 4, 0, 2, 5, 3}));
}

TEST(GroupByLabel, ListsTheSameMembersOnAnyNumberOfThreads) {
  std::vector<Label> labels(100'000);
  Random random(1);
  // One label has half of the members, and the last one has none.
  for (Label& label : labels) {
    label = random.uniform() < 0.5 ? 7 : static_cast<Label>(random.below(3000));
  }
  const Members alone = group_by_label(labels, 3001);
  for (const int n_threads : {2, 3}) {
    ThreadTeam team(n_threads);
    const Members groups = group_by_label(labels, 3001, team);
    EXPECT_EQ(groups.start, alone.start);
    EXPECT_EQ(groups.members, alone.members);
  }
}

}  // namespace
}  // namespace powercut
