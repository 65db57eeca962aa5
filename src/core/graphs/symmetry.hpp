#pragma once

#include <optional>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/view.hpp"

namespace powercut {

struct Position {
  Node row;
  Node column;
};

/// An entry whose mirror image is absent or differs by more than the relative
/// tolerance: one of the first, as the rows go by. Rows must be sorted and free of repeats.
std::optional<Position> first_asymmetry(const GraphView& graph, double tolerance, Cancel& cancel);

}  // namespace powercut
