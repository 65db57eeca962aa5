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

/// Finds an entry whose mirror image is absent or differs by more than the relative tolerance. Rows
/// must be sorted and without repeats.
std::optional<Position> first_asymmetry(const GraphView& graph, double tolerance,
                                        CancellationToken& token);

}  // namespace powercut
