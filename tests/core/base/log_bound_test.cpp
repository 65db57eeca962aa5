#include "base/log_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"

namespace powercut {
namespace {

void expect_bound(double x) {
  const double excess = log_bound(x) - std::log(x);
  EXPECT_GE(excess, 0) << x;
  EXPECT_LT(excess, 2e-5) << x;
}

TEST(LogBound, IsJustAboveTheLogarithm) {
  constexpr int steps = 1 << 16;
  for (int i = 0; i < steps; ++i) expect_bound(1 + static_cast<double>(i) / steps);
  Random random(0);
  for (int trial = 0; trial < 100'000; ++trial) {
    expect_bound(std::exp(1400 * (random.uniform() - 0.5)));
  }
  expect_bound(std::numeric_limits<double>::min());
  expect_bound(std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace powercut
