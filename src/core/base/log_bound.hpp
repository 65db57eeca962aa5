#pragma once

#include <bit>
#include <cstdint>
#include <numbers>

namespace powercut {

/// An upper bound of ln(x) that exceeds it by less than 2e-5, and costs less; x is a normal
/// positive number. The mantissa m in [1, 2) takes a polynomial, shifted up by its largest error.
inline double log_bound(double x) {
  constexpr int mantissa_bits = 52, bias = 1023;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<int>(bits >> mantissa_bits) - bias;
  const auto mantissa_only = (bits & ((std::uint64_t{1} << mantissa_bits) - 1)) |
                             (static_cast<std::uint64_t>(bias) << mantissa_bits);
  const double t = std::bit_cast<double>(mantissa_only) - 1;
  constexpr double c0 = 1.8e-5, c1 = 0.999299586, c2 = -0.490743110, c3 = 0.286706551,
                   c4 = -0.133219863, c5 = 0.0311040164;
  const double of_mantissa = c0 + t * (c1 + t * (c2 + t * (c3 + t * (c4 + t * c5))));
  return of_mantissa + exponent * std::numbers::ln2;
}

}  // namespace powercut
