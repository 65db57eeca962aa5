#include "base/log_gamma.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace powercut {
namespace {

TEST(LogGamma, RisesAsTheLibraryFunctionDoes) {
  for (const double x : {1e-3, 0.5, 1.0, 7.9, 8.0, 300.0}) {
    for (const double y : {1e-3, 0.5, 1.0, 20.0, 5000.0}) {
      const double expected = std::lgamma(x + y) - std::lgamma(x);
      EXPECT_NEAR(log_gamma::rise(x, y), expected, 1e-12 * (1 + std::abs(std::lgamma(x + y))));
    }
  }
  EXPECT_NEAR(log_gamma::rise(1e12, 1), std::log(1e12), 1e-11);
}

}  // namespace
}  // namespace powercut
