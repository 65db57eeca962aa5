#pragma once

#include <cstddef>
#include <span>

#include "base/types.hpp"

namespace powercut {

/// The points of a batch, and what is known about each.
struct Visits {
  std::span<const Node> points;
  std::span<const Label> labels;
  std::span<const Count> seen;  ///< number of moves made before the last visit
  std::span<double>
      others;  ///< lower bound of the cost of all other clusters; in: at the last visit; out: now
  std::span<Label> targets;  ///< out: the best label; the point's own if it should stay

  Visits part(std::size_t begin, std::size_t end) const {
    const std::size_t n = end - begin;
    return {points.subspan(begin, n), labels.subspan(begin, n), seen.subspan(begin, n),
            others.subspan(begin, n), targets.subspan(begin, n)};
  }
};

}  // namespace powercut
