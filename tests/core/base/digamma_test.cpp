#include "base/digamma.hpp"

#include <gtest/gtest.h>

namespace powercut {
namespace {

TEST(Digamma, RisesByTheSumOfInverses) {
  for (const double x : {1e-9, 1e-3, 0.5, 1.0, 9.9, 10.0, 300.0, 1e9}) {
    for (const Count d : {0, 1, 2, 10, 11, 40, 5000}) {
      long double sum = 0;
      for (Count i = 0; i < d; ++i) sum += 1 / (static_cast<long double>(x) + i);
      EXPECT_NEAR(digamma::rise(x, d), static_cast<double>(sum), 1e-14 * static_cast<double>(sum));
    }
  }
}

}  // namespace
}  // namespace powercut
