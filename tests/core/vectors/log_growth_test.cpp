#include "vectors/log_growth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/cancellation.hpp"
#include "base/random.hpp"
#include "support.hpp"

namespace powercut {
namespace {

/// Features of a cluster and a point; q_j is about `size`.
struct Features {
  std::vector<double> x, mean, scatter, precision;

  Features(std::size_t d, double size, Random& random) {
    for (std::size_t j = 0; j < d; ++j) {
      x.push_back(4 * random.uniform() - 2);
      mean.push_back(4 * random.uniform() - 2);
      scatter.push_back(random.uniform());
      precision.push_back(size * random.uniform());
    }
  }

  VarianceGrowth growth(bool scattered) const {
    return {x.size(),         x.data(), mean.data(), scattered ? scatter.data() : nullptr,
            precision.data(), 0.7};
  }

  double plain_sum(bool scattered) const {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double away = x[j] - mean[j], half = scattered ? scatter[j] / 2 : 0;
      sum += std::log1p((0.7 * away * away + half) * precision[j]);
    }
    return sum;
  }
};

TEST(LogGrowth, IsTheSumOfLogarithmsOrPassesTheBound) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Random random(0);
  for (const std::size_t d : {1, 3, 7, 8, 9, 31, 32, 33, 40, 64, 100, 131}) {
    for (const double size : {1e-12, 0.1, 10.0, 1e20, 1e140}) {  // products overflow
      const Features features(d, size, random);
      for (const bool scattered : {false, true}) {
        const double sum = features.plain_sum(scattered);
        const VarianceGrowth growth = features.growth(scattered);
        const double rounding = 1e-15 * static_cast<double>(d);  // of products that are near 1
        EXPECT_NEAR(log_growth(growth, infinity), sum, 1e-13 * sum + rounding);
        EXPECT_NEAR(log_growth(growth, 1.01 * sum + rounding), sum, 1e-13 * sum + rounding);
        if (size > 1e-6) {
          EXPECT_GE(log_growth(growth, 0.5 * sum), 0.5 * sum);
        }
      }
    }
  }
}

TEST(LogGrowth, StopsOnceItIsFarAboveTheBound) {
  Random random(1);
  const Features features(100, 10, random);
  EXPECT_TRUE(std::isinf(log_growth(features.growth(true), 1)));
}

TEST(LogGrowths, AreThoseOfEachPointInEachCluster) {
  constexpr std::size_t n = 150, k = 3, d = 9;
  Random random(2);
  std::vector<double> x(n * d), mean(k * d), precision(k * d), growth(n * k, -1);
  for (double& value : x) value = 4 * random.uniform() - 2;
  for (double& value : mean) value = 4 * random.uniform() - 2;
  for (double& value : precision) value = 10 * random.uniform();
  const std::vector<double> factor{0.1, 0.2, 0.3};
  testing::Never never;
  Ticker ticker(never);
  log_growths({d, factor, mean.data(), precision.data()}, x.data(), n, growth.data(), ticker);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < k; ++c) {
      double sum = 0;
      for (std::size_t j = 0; j < d; ++j) {
        const double away = x[i * d + j] - mean[c * d + j];
        sum += std::log1p(factor[c] * away * away * precision[c * d + j]);
      }
      EXPECT_NEAR(growth[i * k + c], sum, 1e-12 * sum);
    }
  }
}

}  // namespace
}  // namespace powercut
