#include "base/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace powercut {
namespace {

TEST(Team, CoversEveryRangeOnce) {
  for (const int members : {1, 2, 5}) {
    Team team(members);
    EXPECT_EQ(team.size(), members);
    for (const std::int64_t n : {0, 1, 9, 10, 11, 1000}) {
      std::vector<int> seen(static_cast<std::size_t>(n), 0);
      team.for_ranges(n, 10, [&](int member, std::int64_t begin, std::int64_t end) {
        EXPECT_TRUE(member >= 0 && member < members);
        EXPECT_LE(end - begin, 10);
        for (std::int64_t i = begin; i < end; ++i) ++seen[i];
      });
      EXPECT_EQ(seen, std::vector<int>(static_cast<std::size_t>(n), 1)) << n;
    }
  }
}

TEST(Team, RunsManyShortLoopsAfterAPause) {
  Team team(3);
  std::int64_t sum = 0;
  for (int loop = 0; loop < 2000; ++loop) {
    if (loop == 1000) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<std::int64_t> part{0};
    team.for_ranges(8, 1, [&](int, std::int64_t begin, std::int64_t) { part += begin; });
    sum += part;
  }
  EXPECT_EQ(sum, 2000 * 28);
}

TEST(Team, ThrowsWhatAMemberThrowsAndGoesOn) {
  Team team(4);
  const auto fail_at = [&](std::int64_t bad) {
    team.for_ranges(100, 1, [&](int, std::int64_t begin, std::int64_t) {
      if (begin == bad) throw std::runtime_error("bad range");
    });
  };
  for (const std::int64_t bad : {0, 57, 99}) EXPECT_THROW(fail_at(bad), std::runtime_error);
  EXPECT_NO_THROW(fail_at(-1));
}

}  // namespace
}  // namespace powercut
