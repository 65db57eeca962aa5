#include "partition_sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "support.hpp"

namespace powercut {
namespace {

using testing::AfterRequests;
using testing::Never;

std::vector<Label> sample(Node n, double concentration, double discount, std::uint64_t seed,
                          Label* tables = nullptr) {
  Never never;
  std::vector<Label> labels(n);
  const Label opened = sample_pitman_yor(labels, concentration, discount, seed, never);
  if (tables != nullptr) *tables = opened;
  return labels;
}

TEST(SamplePitmanYor, NumbersTablesAsTheyAreOpened) {
  for (const double discount : {0.0, 0.3, 0.9}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Label tables = 0;
      Label next = 0;
      for (const Label c : sample(500, 2, discount, seed, &tables)) {
        ASSERT_GE(c, 0);
        ASSERT_LE(c, next);
        if (c == next) ++next;
      }
      EXPECT_EQ(tables, next);
    }
  }
}

TEST(SamplePitmanYor, OneCustomerSitsAtOneTable) {
  Label tables = 0;
  EXPECT_EQ(sample(1, 2, 0.5, 7, &tables), std::vector<Label>{0});
  EXPECT_EQ(tables, 1);
  EXPECT_TRUE(sample(0, 2, 0.5, 7, &tables).empty());
  EXPECT_EQ(tables, 0);
}

TEST(SamplePitmanYor, FollowsTheSeed) {
  EXPECT_EQ(sample(100, 2, 0.5, 7), sample(100, 2, 0.5, 7));
  EXPECT_NE(sample(100, 2, 0.5, 7), sample(100, 2, 0.5, 8));
}

TEST(SamplePitmanYor, ThreeCustomersSitAsOftenAsTheyShould) {
  constexpr int draws = 40'000;
  struct Parameters {
    double a, d;
  };
  for (const auto& [a, d] : {Parameters{1, 0}, Parameters{2, 0.5}, Parameters{-0.2, 0.7}}) {
    std::map<std::vector<Label>, int> seen;
    for (int draw = 0; draw < draws; ++draw) ++seen[sample(3, a, d, draw)];
    const double all = (a + 1) * (a + 2);
    const std::map<std::vector<Label>, double> expected{{{0, 0, 0}, (1 - d) * (2 - d) / all},
                                                        {{0, 0, 1}, (1 - d) * (a + d) / all},
                                                        {{0, 1, 0}, (a + d) * (1 - d) / all},
                                                        {{0, 1, 1}, (a + d) * (1 - d) / all},
                                                        {{0, 1, 2}, (a + d) * (a + 2 * d) / all}};
    for (const auto& [labels, p] : expected) {
      const double sigma = std::sqrt(draws * p * (1 - p));
      EXPECT_NEAR(seen[labels], draws * p, 4 * sigma) << labels[1] << labels[2] << ' ' << a;
    }
    EXPECT_EQ(seen.size(), expected.size());
  }
}

TEST(SamplePitmanYor, TablesGrowAsAPowerOfN) {
  // Their mean number is (a / d) [(a + d)_n / (a)_n - 1], with rising factorials.
  constexpr double a = 1, d = 0.5;
  constexpr int n = 400, draws = 400;
  double ratio = 1;
  for (int i = 0; i < n; ++i) ratio *= (a + d + i) / (a + i);
  const double mean = a / d * (ratio - 1);
  double sum = 0, squares = 0;
  for (int draw = 0; draw < draws; ++draw) {
    Label tables = 0;
    sample(n, a, d, 1000 + draw, &tables);
    sum += tables;
    squares += static_cast<double>(tables) * tables;
  }
  const double variance = squares / draws - (sum / draws) * (sum / draws);
  EXPECT_NEAR(sum / draws, mean, 4 * std::sqrt(variance / draws));
}

TEST(SamplePitmanYor, CanBeCancelled) {
  std::vector<Label> labels(100'000);
  AfterRequests cancel(0);
  EXPECT_THROW(sample_pitman_yor(labels, 1, 0.5, 0, cancel), Cancelled);
}

}  // namespace
}  // namespace powercut
