#pragma once

#include <span>

#include "cancel.hpp"
#include "graph_view.hpp"
#include "types.hpp"

namespace powercut {

/// Gives every connected piece of every cluster a label of its own, numbered by
/// smallest member; returns how many there are.
Label split_components(const GraphView& graph, std::span<const Label> labels,
                       std::span<Label> pieces, Cancel& cancel);

}  // namespace powercut
