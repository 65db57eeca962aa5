#pragma once

#include <algorithm>
#include <cmath>

#include "base/root.hpp"

namespace powercut {

/// A minimum of a function between two points, low < high, to this tolerance.
///
/// Brent's method: a parabola through the last three points where it is reliable, the golden
/// section otherwise. R. P. Brent, Algorithms for Minimization Without Derivatives, 1973,
/// chapter 5.
template <class Function>
PointOfFunction minimum_between(const Function& function, double low, double high,
                                double tolerance) {
  constexpr double golden_section = 0.38196601125010515;  // (3 - sqrt(5)) / 2
  constexpr double root_of_rounding = 1.4832396974191326e-8;
  const double first = low + golden_section * (high - low);
  // The three lowest points, `best` first, and the last two steps.
  PointOfFunction best{first, function(first)}, second = best, third = best;
  double step = 0, step_before = 0;
  for (;;) {
    const double middle = 0.5 * (low + high);
    const double least = root_of_rounding * std::abs(best.at) + tolerance / 3;
    if (std::abs(best.at - middle) <= 2 * least - 0.5 * (high - low)) return best;
    bool golden = true;
    if (std::abs(step_before) > least) {
      const double r = (best.at - second.at) * (best.value - third.value);
      const double q = (best.at - third.at) * (best.value - second.value);
      const double turn = 2 * (q - r);
      const double way = (best.at - third.at) * q - (best.at - second.at) * r;
      const double p = turn > 0 ? -way : way, bend = std::abs(turn);
      const double most = std::abs(0.5 * bend * step_before);
      step_before = step;
      if (std::abs(p) < most && p > bend * (low - best.at) && p < bend * (high - best.at)) {
        golden = false;
        step = p / bend;
        const double at = best.at + step;
        if (at - low < 2 * least || high - at < 2 * least) {
          step = middle >= best.at ? least : -least;
        }
      }
    }
    if (golden) {
      step_before = (best.at >= middle ? low : high) - best.at;
      step = golden_section * step_before;
    }
    const double length = std::max(std::abs(step), least);
    const double at = best.at + (step >= 0 ? length : -length);
    const PointOfFunction next{at, function(at)};
    if (next.value <= best.value) {
      (at >= best.at ? low : high) = best.at;
      third = second;
      second = best;
      best = next;
    } else {
      (at < best.at ? low : high) = at;
      if (next.value <= second.value || second.at == best.at) {
        third = second;
        second = next;
      } else if (next.value <= third.value || third.at == best.at || third.at == second.at) {
        third = next;
      }
    }
  }
}

}  // namespace powercut
