#include "base/log_product.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"

namespace powercut {
namespace {

TEST(LogProduct, IsTheSumOfLogarithms) {
  Random random(1);
  for (const double size : {1.0, 1e-40, 1e40, 1e-300, 1e300}) {
    for (std::size_t n = 0; n < 30; ++n) {
      std::vector<double> factors(n);
      double sum = 0;
      for (double& f : factors) sum += std::log(f = size * (0.5 + random.uniform()));
      const double logs = log_product::sum_of_logs(n, [&](std::size_t j) { return factors[j]; });
      EXPECT_NEAR(logs, sum, 1e-13 * (1 + std::abs(sum)));
    }
  }
}

TEST(LogProduct, NeverPassesWhatTheLogarithmDoesNot) {
  Random random(2);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 20000; ++i) {
    const double x = 1 + std::exp(-20 + 60 * random.uniform());
    EXPECT_FALSE(log_product::surely_passes(x, std::log(x) * (1 + 1e-12))) << x;
    EXPECT_FALSE(log_product::surely_passes(x, infinity));
    EXPECT_TRUE(log_product::surely_passes(x, 0.7 * std::log(x))) << x;
    EXPECT_TRUE(log_product::surely_passes(x, -1));
  }
}

}  // namespace
}  // namespace powercut
