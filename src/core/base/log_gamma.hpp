#pragma once

#include <cmath>

namespace powercut {

/// lnGamma and its differences by Stirling's series. libm's lgamma is slow and, on some platforms,
/// neither accurate nor thread-safe.
namespace log_gamma {

/// From here on the series is accurate to the last digits of a double.
constexpr int series_from = 8;

inline double series(double x) {
  const double y = 1 / (x * x);
  return (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188)))) / x;
}

/// lnGamma(x) for x >= 8.
inline double of_large(double x) {
  constexpr double half_log_two_pi = 0.91893853320467274178;
  return (x - 0.5) * std::log(x) - x + half_log_two_pi + series(x);
}

/// lnGamma(x + y) - lnGamma(x) for x >= 8 and y >= 0, without the cancellation that the difference
/// of two large values would suffer.
inline double rise_of_large(double x, double y) {
  return (x + y - 0.5) * std::log1p(y / x) + y * (std::log(x) - 1) + series(x + y) - series(x);
}

/// The same for any x > 0: Gamma(x) = Gamma(x + from) / (x (x + 1) ... (x + from - 1)). From 16 on
/// the series is exact to rounding.
template <int from = series_from>
double rise(double x, double y) {
  if (x >= from) return rise_of_large(x, y);
  // One logarithm instead of many, unless the product is so close to 1 that digits would be lost.
  double product = 1, below = 0;
  for (int j = 0; j < from; ++j) product *= 1 + y / (x + j);
  if (product > 1.1 && product < 1e300) {
    below = std::log(product);
  } else {
    for (int j = 0; j < from; ++j) below += std::log1p(y / (x + j));
  }
  return rise_of_large(x + from, y) - below;
}

}  // namespace log_gamma
}  // namespace powercut
