#include "base/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace powercut {
namespace {

TEST(ThreadTeam, CoversEveryRangeOnce) {
  for (const int n_threads : {1, 2, 5}) {
    ThreadTeam team(n_threads);
    EXPECT_EQ(team.size(), n_threads);
    for (const std::int64_t n : {0, 1, 9, 10, 11, 1000}) {
      std::vector<int> seen(static_cast<std::size_t>(n), 0);
      team.for_ranges(n, 10, [&](int thread, std::int64_t begin, std::int64_t end) {
        EXPECT_TRUE(thread >= 0 && thread < n_threads);
        EXPECT_LE(end - begin, 10);
        for (std::int64_t i = begin; i < end; ++i) ++seen[i];
      });
      EXPECT_EQ(seen, std::vector<int>(static_cast<std::size_t>(n), 1)) << n;
    }
  }
}

TEST(ThreadTeam, RunsManyShortLoopsAfterAPause) {
  ThreadTeam team(3);
  std::int64_t sum = 0;
  for (int loop = 0; loop < 2000; ++loop) {
    if (loop == 1000) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<std::int64_t> part{0};
    team.for_ranges(8, 1, [&](int, std::int64_t begin, std::int64_t) { part += begin; });
    sum += part;
  }
  EXPECT_EQ(sum, 2000 * 28);
}

TEST(ThreadTeam, PollsWhileOthersWork) {
  ThreadTeam team(2);
  std::atomic<bool> stop{false};
  std::atomic<int> begun{0};
  int polls = 0;
  auto body = [&](int thread, std::int64_t, std::int64_t) {
    ++begun;
    while (begun < 2) std::this_thread::yield();  // each thread takes one of the two ranges
    if (thread != 0) {
      while (!stop) std::this_thread::yield();
    }
  };
  team.for_ranges(2, 1, body, [&] { stop = ++polls >= 3; });
  EXPECT_GE(polls, 3);
}

TEST(ThreadTeam, RethrowsExceptionsAndGoesOn) {
  ThreadTeam team(4);
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
