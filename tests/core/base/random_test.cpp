#include "base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace powercut {
namespace {

TEST(Random, GivesThePublishedNumbersOfSplitMix64) {
  Random random(1234567);
  EXPECT_EQ(random.bits(), 6457827717110365317U);
  EXPECT_EQ(random.bits(), 3203168211198807973U);
  EXPECT_EQ(random.bits(), 9817491932198370423U);
}

TEST(Random, NumbersCanBeReadAtAnyPosition) {
  Random random(7);
  for (std::uint64_t position = 0; position < 100; ++position) {
    EXPECT_EQ(Random::bits_at(7, position), random.bits());
  }
}

TEST(Random, BelowStaysBelowAndReachesEverything) {
  Random random(3);
  std::vector<int> seen(7, 0);
  for (int i = 0; i < 7000; ++i) {
    const std::int64_t drawn = random.below(7);
    ASSERT_GE(drawn, 0);
    ASSERT_LT(drawn, 7);
    ++seen[drawn];
  }
  for (const int times : seen) EXPECT_NEAR(times, 1000, 4 * std::sqrt(1000 * 6.0 / 7));
}

TEST(Random, ShuffleGivesEveryOrderAsOften) {
  std::map<std::vector<int>, int> seen;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    std::vector<int> values{0, 1, 2};
    Random(seed).shuffle(values);
    ++seen[values];
  }
  EXPECT_EQ(seen.size(), 6U);
  for (const auto& [values, times] : seen) EXPECT_NEAR(times, 1000, 4 * std::sqrt(1000 * 5.0 / 6));
}

TEST(Random, ShufflePermutesAndFollowsTheSeed) {
  const auto shuffled = [](std::uint64_t seed) {
    std::vector<int> values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    Random(seed).shuffle(values);
    return values;
  };
  EXPECT_EQ(shuffled(1), shuffled(1));
  EXPECT_NE(shuffled(1), shuffled(2));
  std::vector<int> sorted = shuffled(1);
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

}  // namespace
}  // namespace powercut
