#pragma once

#include <cstddef>
#include <span>

#include "base/types.hpp"

namespace powercut {

/// Points whose turn it is, and what is known of each.
struct Visits {
  std::span<const Node> points;
  std::span<const Label> labels;
  std::span<const Count> seen;  ///< how many moves had been made at the last visit
  std::span<double> others;     ///< least cost of another cluster then, or less; afterwards: now
  std::span<Label> targets;     ///< gets the best label: the own one of those that should stay

  Visits part(std::size_t begin, std::size_t end) const {
    const std::size_t n = end - begin;
    return {points.subspan(begin, n), labels.subspan(begin, n), seen.subspan(begin, n),
            others.subspan(begin, n), targets.subspan(begin, n)};
  }
};

}  // namespace powercut
