#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace powercut {

/// Sums of logarithms with few calls of log: numbers are multiplied first.
namespace log_product {

/// Number of factors multiplied at a time, in four independent products.
constexpr std::size_t chunk = 8;
/// Products of two numbers in this range neither overflow nor underflow.
constexpr double largest = 1e150, smallest = 1e-150;

/// The product of factor(0), ..., factor(length - 1), for length <= chunk.
template <class Factor>
POWERCUT_INLINE inline double of_chunk(std::size_t length, const Factor& factor) {
  double product[4] = {1, 1, 1, 1};
  if (length == chunk) {
    for (std::size_t j = 0; j < chunk; j += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) product[lane] *= factor(j + lane);
    }
  } else {
    for (std::size_t j = 0; j < length; ++j) product[j % 4] *= factor(j);
  }
  return (product[0] * product[1]) * (product[2] * product[3]);
}

/// The sum of the logarithms of factor(0), ..., factor(n - 1), all positive.
template <class Factor>
double sum_of_logs(std::size_t n, const Factor& factor) {
  double sum = 0;
  for (std::size_t first = 0; first < n; first += chunk) {
    const std::size_t length = std::min(chunk, n - first);
    const double product = of_chunk(length, [&](std::size_t j) { return factor(first + j); });
    if (product > smallest && product < largest) {
      sum += std::log(product);
    } else {
      for (std::size_t j = 0; j < length; ++j) sum += std::log(factor(first + j));
    }
  }
  return sum;
}

/// A cheap sufficient test for ln(x) >= bound, where x >= 1: true only if it holds, but not always
/// if it holds. Uses the lower bounds 2 (x - 1) / (x + 1) and the power of two below x.
inline bool surely_passes(double x, double bound) {
  if (x < 8) return 2 * (x - 1) >= bound * (x + 1);
  constexpr double log_two = 0.69314718055994530942;
  const auto exponent = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(x) >> 52) - 1023;
  return log_two * static_cast<double>(exponent) >= bound;
}

}  // namespace log_product
}  // namespace powercut
