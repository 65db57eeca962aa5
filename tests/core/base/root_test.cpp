#include "base/root.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "base/random.hpp"

namespace powercut {
namespace {

TEST(RootBetween, IsAccurateAfterFewEvaluations) {
  const std::vector<std::function<double(double)>> functions{
      [](double x) { return x; },
      [](double x) { return x * x * x; },
      [](double x) { return std::exp(8 * x) - 1; },
      [](double x) { return std::atan(50 * x) + 0.2 * x; },
      [](double x) { return x > 0 ? 1.0 : -1.0; },
  };
  Random random(0);
  for (int trial = 0; trial < 500; ++trial) {
    const auto& shape = functions[trial % functions.size()];
    const double sign = random.uniform() < 0.5 ? 1 : -1, root = 200 * random.uniform() - 100;
    const double low = root - 0.01 - 3 * random.uniform();
    const double high = root + 0.01 + 3 * random.uniform();
    int evaluations = 0;
    const auto function = [&](double x) {
      ++evaluations;
      return sign * shape(x - root);
    };
    const double found =
        root_between(function, {low, function(low)}, {high, function(high)}, 1e-10);
    EXPECT_LT(evaluations, 72);  // twice as many as bisection would take
    EXPECT_NEAR(found, root, 1e-10 + 1e-14 * std::abs(root));
  }
}

TEST(RootBetween, MayBeAnEndPoint) {
  const auto line = [](double x) { return x; };
  EXPECT_EQ(root_between(line, {0, 0}, {1, 1}, 1e-10), 0);
  EXPECT_EQ(root_between(line, {-1, -1}, {0, 0}, 1e-10), 0);
}

}  // namespace
}  // namespace powercut
