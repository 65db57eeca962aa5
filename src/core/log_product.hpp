#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace powercut {

/// Logarithms of products: one is taken where a sum of logarithms would take many.
namespace log_product {

/// Factors at a time, in two running products that need not wait for each other.
constexpr std::size_t chunk = 8;
/// Products of a few numbers in this range, and of two such products, are numbers.
constexpr double largest = 1e150, smallest = 1e-150;

/// The product of `length` <= chunk factors.
template <class Factor>
double of_chunk(std::size_t length, const Factor& factor) {
  double product[2] = {1, 1};
  if (length == chunk) {
    double factors[chunk];
    for (std::size_t j = 0; j < chunk; ++j) factors[j] = factor(j);
    for (std::size_t j = 0; j < chunk; j += 2) {
      product[0] *= factors[j];
      product[1] *= factors[j + 1];
    }
  } else {
    for (std::size_t j = 0; j < length; ++j) product[j % 2] *= factor(j);
  }
  return product[0] * product[1];
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

/// A number below ln(x), and near it, for x >= 1: a quotient, or the power of two below x.
inline double below_log(double x) {
  if (x < 8) return 2 * (x - 1) / (x + 1);
  constexpr double log_two = 0.69314718055994530942;
  const auto exponent = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(x) >> 52) - 1023;
  return log_two * static_cast<double>(exponent);
}

}  // namespace log_product
}  // namespace powercut
