#include "prior/increments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "support.hpp"

namespace powercut {
namespace {

using testing::size_prior;
using Sizes = std::vector<Count>;

struct Parameters {
  double concentration;
  double discount;
};
const std::vector<Parameters> parameters{{1.5, 0.4}, {0.1, 0.95}, {20, 0}, {-0.3, 0.5}, {3, 1e-6}};

TEST(Prior, OfSizesIsTheLogarithmOfGammaFunctions) {
  const std::vector<Sizes> partitions{
      {1}, {7}, {1, 1, 1}, {5, 1, 3, 12}, {65'534}, {65'535, 65'536}, {65'537, 2}, {1'000'000, 10}};
  for (const auto& [concentration, discount] : parameters) {
    for (const Sizes& sizes : partitions) {
      const Prior prior(concentration, discount, 2, 2'000'000);
      const double expected = 2 * size_prior(concentration, discount, sizes);
      EXPECT_NEAR(prior.of_sizes(sizes), expected, 1e-14 * (1 + std::abs(expected)));
    }
  }
}

TEST(Prior, TableAndSeriesMeet) {
  // 65,535 is the last size of the table: values around it must continue smoothly.
  for (const auto& [concentration, discount] : parameters) {
    const Prior prior(concentration, discount, 1, 1'000'000);
    for (Count size = 65'530; size < 65'542; ++size) {
      const double step = prior.of_sizes(Sizes{size}) - prior.of_sizes(Sizes{size + 1});
      EXPECT_NEAR(step, std::log(static_cast<double>(size) - discount), 1e-8) << size;
    }
  }
}

TEST(Prior, OfSizesIgnoresOrderAndEmptyClusters) {
  const Prior prior(1.5, 0.4, 1, 100);
  EXPECT_NEAR(prior.of_sizes(Sizes{5, 0, 1, 0, 3}), prior.of_sizes(Sizes{1, 3, 5}), 1e-14);
}

TEST(Prior, ProbabilitiesOfAllPartitionsSumToOne) {
  constexpr int n = 6;
  for (const auto& [concentration, discount] : parameters) {
    const Prior prior(concentration, discount, 1, n);
    const double constant = prior.constant();
    double sum = 0;
    // Enumerates the partitions of n points: point i joins an existing cluster or opens the next.
    const std::function<void(int, Sizes&)> seat = [&](int i, Sizes& sizes) {
      if (i == n) {
        sum += std::exp(-prior.of_sizes(sizes) - constant);
        return;
      }
      for (std::size_t c = 0; c < sizes.size(); ++c) {
        ++sizes[c];
        seat(i + 1, sizes);
        --sizes[c];
      }
      sizes.push_back(1);
      seat(i + 1, sizes);
      sizes.pop_back();
    };
    Sizes none;
    seat(0, none);
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

/// Moves `moving` original nodes from the first cluster to the second or, if `to` is 0, to a new
/// one.
void expect_exact_move(const Parameters& p, Count from, Count to, Count moving) {
  const double tradeoff = 0.7;
  const Count other = 3;
  const Prior prior(p.concentration, p.discount, tradeoff, from + to + other);
  const Sizes before{from, to, other};
  const Sizes after{from - moving, to + moving, other};
  const Count clusters = to == 0 ? 2 : 3;
  const double delta =
      prior.leave(from, moving, clusters) +
      (to == 0 ? prior.open(moving, clusters - (from == moving)) : prior.join(to, moving));
  const double j_before = tradeoff * size_prior(p.concentration, p.discount, before);
  const double j_after = tradeoff * size_prior(p.concentration, p.discount, after);
  // The table is a running sum of up to 65,536 logarithms, with as many rounding errors.
  const double resolution = 1e-14 * (1 + std::abs(j_before));
  EXPECT_NEAR(delta, j_after - j_before, resolution)
      << p.concentration << ' ' << p.discount << ": " << moving << " of " << from << " to " << to;
  EXPECT_NEAR(delta, prior.of_sizes(after) - prior.of_sizes(before), resolution);
}

TEST(Prior, MovesAreDifferencesOfTheWhole) {
  for (const Parameters& p : parameters) {
    for (const Count from : {1, 2, 9, 65'534, 65'540, 300'000}) {
      for (const Count to : {0, 1, 8, 65'533, 65'536, 200'000}) {
        for (const Count moving : {1, 2, 4, 5, 100, 65'530}) {
          if (moving <= from) expect_exact_move(p, from, to, moving);
        }
      }
    }
  }
}

TEST(Prior, OneNodeAtAVeryLargeClusterKeepsAllDigits) {
  const Prior prior(1.5, 0.4, 1, 2'000'000'000);
  const double expected = std::log(1'000'000'000 - 0.4);
  EXPECT_DOUBLE_EQ(prior.join(1'000'000'000, 1), -expected);
  EXPECT_DOUBLE_EQ(prior.leave(1'000'000'001, 1, 5), expected);
}

TEST(Prior, ZeroDiscountIsTheChineseRestaurant) {
  const Prior prior(2, 0, 1, 10);
  // -ln of concentration^(k - 1) times the product of (size - 1)!.
  EXPECT_NEAR(prior.of_sizes(Sizes{4, 1, 3}), -std::log(2.0 * 2.0 * 6.0 * 2.0), 1e-14);
  EXPECT_NEAR(prior.join(3, 1), -std::log(3.0), 1e-14);
  EXPECT_NEAR(prior.open(1, 5), -std::log(2.0), 1e-14);
}

TEST(Prior, ZeroTradeoffCostsNothing) {
  const Prior prior(0, 0, 0, 10);
  EXPECT_EQ(prior.of_sizes(Sizes{4, 6}), 0);
  EXPECT_EQ(prior.leave(4, 4, 2), 0);
  EXPECT_EQ(prior.join(6, 4), 0);
  EXPECT_EQ(prior.open(1, 2), 0);
}

}  // namespace
}  // namespace powercut
