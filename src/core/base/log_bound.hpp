#pragma once

#include <bit>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "base/types.hpp"

namespace powercut {

/// Two numbers that are computed with at once, by one instruction for both on all processors.
typedef double DoublePair __attribute__((vector_size(16)));
typedef std::uint64_t BitsPair __attribute__((vector_size(16)));

/// An upper bound of ln(x) that exceeds it by less than 2e-5, and costs less; x is a normal
/// positive number, or a pair of them. The mantissa m in [1, 2) takes a polynomial, shifted up by
/// its largest error, in an order in which few operations wait for each other.
template <class Real>
POWERCUT_INLINE inline Real log_bound(Real x) {
  using Bits = std::conditional_t<std::is_same_v<Real, double>, std::uint64_t, BitsPair>;
  constexpr int mantissa_bits = 52;
  constexpr std::uint64_t mantissa = (std::uint64_t{1} << mantissa_bits) - 1;
  constexpr std::uint64_t of_one = std::bit_cast<std::uint64_t>(1.0);
  // A whole number below 2^52 in the mantissa of 2^52 makes 2^52 plus that number.
  constexpr double shift = 0x1p52, bias = 1023;
  const auto bits = std::bit_cast<Bits>(x);
  const auto exponent =
      std::bit_cast<Real>(bits >> mantissa_bits | (Bits{} + std::bit_cast<std::uint64_t>(shift))) -
      (shift + bias);
  const Real t = std::bit_cast<Real>((bits & mantissa) | of_one) - 1;
  constexpr double c0 = 1.8e-5, c1 = 0.999299586, c2 = -0.490743110, c3 = 0.286706551,
                   c4 = -0.133219863, c5 = 0.0311040164;
  const Real t2 = t * t;
  const Real of_mantissa = (c0 + c1 * t) + t2 * ((c2 + c3 * t) + t2 * (c4 + c5 * t));
  return of_mantissa + exponent * std::numbers::ln2;
}

}  // namespace powercut
