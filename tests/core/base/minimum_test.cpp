#include "base/minimum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "base/random.hpp"

namespace powercut {
namespace {

TEST(MinimumBetween, IsFoundInFewEvaluations) {
  const std::vector<std::function<double(double)>> functions{
      [](double x) { return x * x; },
      [](double x) { return std::abs(x); },
      [](double x) { return std::cosh(3 * x); },
      [](double x) { return -std::exp(-50 * x * x) + 0.01 * x * x; },
  };
  Random random(0);
  for (int trial = 0; trial < 400; ++trial) {
    const auto& shape = functions[trial % functions.size()];
    const double lowest = 10 * random.uniform() - 5;
    const double low = lowest - 0.01 - random.uniform(), high = lowest + 0.01 + random.uniform();
    int evaluations = 0;
    const auto function = [&](double x) {
      ++evaluations;
      EXPECT_TRUE(low <= x && x <= high);
      return shape(x - lowest);
    };
    const PointOfFunction found = minimum_between(function, low, high, 1e-5);
    EXPECT_LT(evaluations, 50);
    EXPECT_NEAR(found.at, lowest, 2e-5);
    EXPECT_EQ(found.value, shape(found.at - lowest));
  }
}

TEST(MinimumBetween, MayBeNearAnEnd) {
  const auto falling = [](double x) { return -x; };
  EXPECT_NEAR(minimum_between(falling, 1, 3, 1e-3).at, 3, 2e-3);
  const auto rising = [](double x) { return x * x; };
  EXPECT_NEAR(minimum_between(rising, 1, 3, 1e-3).at, 1, 2e-3);
}

}  // namespace
}  // namespace powercut
