#pragma once

#include <cmath>

#include "base/types.hpp"

namespace powercut {

/// Differences of the digamma function, which the standard library does not have.
namespace digamma {

/// From here on the series is accurate to the last digit of a double.
constexpr int series_from = 10;

/// psi(x) - ln(x) by the asymptotic series.
inline double series(double x) {
  const double inverse = 1 / x, y = inverse * inverse;
  const double last = y * (1.0 / 132 - y * (691.0 / 32760 - y / 12));
  return -inverse / 2 - y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - last))));
}

/// psi(x + d) - psi(x) for x > 0 and d >= 0, which is the sum of 1 / (x + i) over i < d. No values
/// cancel, however close x and x + d are.
inline double rise(double x, Count d) {
  const double steps = static_cast<double>(d);
  double sum = 0;
  if (d <= series_from) {
    for (Count i = 0; i < d; ++i) sum += 1 / (x + static_cast<double>(i));
    return sum;
  }
  if (x < series_from) {
    for (int j = 0; j < series_from; ++j) sum += steps / ((x + j) * (x + steps + j));
    x += series_from;
  }
  return sum + (std::log1p(steps / x) + (series(x + steps) - series(x)));
}

}  // namespace digamma
}  // namespace powercut
