#include "prior/partition_sampling.hpp"

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

/// The probability of a labeling by the Chinese restaurant process, point by point.
double probability(const std::vector<Label>& labels, double concentration, double discount) {
  std::vector<int> sizes;
  double p = 1;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t c = labels[i];
    const double seats = concentration + static_cast<double>(i);
    if (c == sizes.size()) {
      if (i > 0) p *= (concentration + discount * static_cast<double>(c)) / seats;
      sizes.push_back(1);
    } else {
      p *= (sizes[c] - discount) / seats;
      ++sizes[c];
    }
  }
  return p;
}

TEST(SamplePitmanYor, CustomersSitAsOftenAsTheyShould) {
  constexpr int draws = 40'000;
  struct Parameters {
    double concentration, discount;
  };
  for (const auto& [a, d] : {Parameters{1, 0}, Parameters{2, 0.5}, Parameters{-0.2, 0.7}}) {
    // Three points have 5 partitions. Four have 15, some with tables of different sizes.
    for (const auto& [n, ways] : {std::pair{3, 5U}, std::pair{4, 15U}}) {
      std::map<std::vector<Label>, int> seen;
      for (int draw = 0; draw < draws; ++draw) ++seen[sample(n, a, d, draw)];
      EXPECT_EQ(seen.size(), ways);
      for (const auto& [labels, times] : seen) {
        const double p = probability(labels, a, d);
        EXPECT_NEAR(times, draws * p, 4 * std::sqrt(draws * p * (1 - p)))
            << ::testing::PrintToString(labels) << " at " << a << ", " << d;
      }
    }
  }
}

TEST(SamplePitmanYor, TablesGrowAsAPowerOfN) {
  // The mean number of clusters is (a / d) [(a + d)_n / (a)_n - 1], with rising factorials.
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
  AfterRequests token(0);
  EXPECT_THROW(sample_pitman_yor(labels, 1, 0.5, 0, token), Cancelled);
}

}  // namespace
}  // namespace powercut
