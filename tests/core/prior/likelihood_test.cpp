#include "prior/likelihood.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace powercut {
namespace {

TEST(SizeHistogram, CountsSmallAndLargeSizes) {
  const std::vector<Count> sizes{5, 1, 1'000'000, 5, 1, 1, 70, 1'000'000'000, 1'000'000};
  const SizeHistogram histogram(sizes);
  EXPECT_EQ(histogram.clusters(), 9);
  EXPECT_EQ(histogram.points(), 1'002'000'083);
  const std::vector<std::pair<Count, Count>> expected{
      {1, 3}, {5, 2}, {70, 1}, {1'000'000, 2}, {1'000'000'000, 1}};
  ASSERT_EQ(histogram.bins().size(), expected.size());
  for (std::size_t b = 0; b < expected.size(); ++b) {
    EXPECT_EQ(histogram.bins()[b].size, expected[b].first);
    EXPECT_EQ(histogram.bins()[b].clusters, expected[b].second);
  }
  EXPECT_TRUE(SizeHistogram({}).bins().empty());
}

TEST(NewClusterSums, AreTheSumsInTheDerivatives) {
  for (const Count k : {1, 2, 16, 17, 50, 5000}) {
    for (const double discount : {0.0, 1e-14, 1e-9, 1e-7, 1e-4, 0.01, 0.5, 1 - 1e-6}) {
      for (const double first : {1e-6, 0.3, 15.9, 1e4, 1e9}) {
        long double inverse = 0, weighted = 0;
        for (Count j = 0; j < k - 1; ++j) {
          inverse += 1 / (first + j * static_cast<long double>(discount));
          weighted += j / (first + j * static_cast<long double>(discount));
        }
        const NewClusterSums sums = new_cluster_sums(first, discount, k);
        EXPECT_NEAR(sums.inverse, inverse, 1e-13 * inverse);
        // Where the series takes over, cancellation leaves the closed form this many digits.
        EXPECT_NEAR(sums.weighted, weighted, 2e-10 * weighted);
      }
    }
  }
}

TEST(LogProb, IsTheSumOverCustomers) {
  Random random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const PitmanYor prior{3 * random.uniform(), random.uniform()};
    std::vector<Count> sizes;
    long double expected = 0;
    Count seated = 0;
    for (int tables = 0; tables < 12; ++tables) {
      sizes.push_back(1 + random.below(trial % 2 == 0 ? 5 : 60));
      for (Count at_table = 0; at_table < sizes.back(); ++at_table, ++seated) {
        if (seated == 0) continue;
        const long double weight = at_table > 0 ? at_table - prior.discount
                                                : prior.concentration + tables * prior.discount;
        expected += std::log(weight / (prior.concentration + seated));
      }
    }
    EXPECT_NEAR(log_prob(prior, SizeHistogram(sizes)), expected, 1e-12 * std::abs(expected));
  }
  EXPECT_EQ(log_prob({1, 0.5}, SizeHistogram({})), 0);
}

TEST(MostLikelyPrior, HasNoBetterNeighbor) {
  const std::vector<Count> sizes{1000, 300, 90, 40, 22, 8, 5, 5, 2, 1, 1, 1, 1, 1};
  const SizeHistogram histogram(sizes);
  const PitmanYor best = most_likely_prior(histogram);
  const double at_best = log_prob(best, histogram);
  for (const double step : {1e-2, 1e-3}) {
    EXPECT_LT(log_prob({best.concentration + step, best.discount}, histogram), at_best);
    EXPECT_LT(log_prob({best.concentration - step, best.discount}, histogram), at_best);
    EXPECT_LT(log_prob({best.concentration, best.discount + step}, histogram), at_best);
    EXPECT_LT(log_prob({best.concentration, best.discount - step}, histogram), at_best);
  }
  EXPECT_NEAR(most_likely_concentration(best.discount, 14, histogram.points()), best.concentration,
              1e-9);
}

TEST(MostLikelyPrior, EndsOnTheBoundaryWithoutAMaximumInside) {
  const std::vector<Count> one{7}, singletons(20, 1), equal(100, 20);
  EXPECT_EQ(most_likely_prior(SizeHistogram(one)).concentration, 1e-6);
  EXPECT_EQ(most_likely_prior(SizeHistogram(one)).discount, 0);
  EXPECT_EQ(most_likely_prior(SizeHistogram(singletons)).discount, 1 - 1e-6);
  EXPECT_EQ(most_likely_prior(SizeHistogram(equal)).discount, 0);
}

}  // namespace
}  // namespace powercut
