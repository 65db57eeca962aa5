#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace powercut {

/// A point and the value of a function there.
struct PointOfFunction {
  double at;
  double value;
};

/// The root of the inverse quadratic through three points, as a fraction of the way from a to b.
inline double inverse_parabola(PointOfFunction a, PointOfFunction b, PointOfFunction c) {
  const double along = (a.at - b.at) / (c.at - b.at);
  const double up = (a.value - b.value) / (c.value - b.value);
  if (!(up * up < along && (1 - up) * (1 - up) < 1 - along)) {
    return 0.5;  // it may not be monotone between a and b: bisect
  }
  const double ahead = a.value / (b.value - a.value) * c.value / (b.value - c.value);
  return ahead + (c.at - a.at) / (b.at - a.at) * a.value / (c.value - a.value) * b.value /
                     (c.value - b.value);
}

/// A root of a function between two points, where its signs must differ, to this tolerance.
///
/// Chandrupatla's method: inverse quadratic interpolation through the last three points where it is
/// reliable, bisection otherwise. T. R. Chandrupatla, A new hybrid quadratic/bisection algorithm
/// for finding the zero of a nonlinear function without using derivatives, Advances in Engineering
/// Software 28(3), 1997.
template <class Function>
double root_between(const Function& function, PointOfFunction low, PointOfFunction high,
                    double tolerance) {
  PointOfFunction last = high, other = low;
  double share = 0.5;
  // The root is between `last` and `other`; `before` is the end point that was replaced.
  while (last.value != 0 && other.value != 0) {
    const double at = last.at + share * (other.at - last.at);
    const PointOfFunction next{at, function(at)};
    PointOfFunction before = last;
    if ((next.value > 0) != (last.value > 0)) {
      before = other;
      other = last;
    }
    last = next;
    const double rounding = 2 * std::numeric_limits<double>::epsilon() *
                            std::max(std::abs(last.at), std::abs(other.at));
    const double least = (rounding + tolerance / 2) / std::abs(other.at - last.at);
    if (least > 0.5) break;
    share = std::clamp(inverse_parabola(last, other, before), least, 1 - least);
  }
  return std::abs(last.value) < std::abs(other.value) ? last.at : other.at;
}

}  // namespace powercut
