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
  const DoublePair both = log_bound(DoublePair{x, 2.5});
  EXPECT_EQ(both[0], log_bound(x));
  EXPECT_EQ(both[1], log_bound(2.5));
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
