#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// Gives every connected piece of every cluster a label of its own, numbered by
/// smallest member; returns how many there are.
Label split_components(const GraphView& graph, std::span<const Label> labels,
                       std::span<Label> pieces, Cancel& cancel);

}  // namespace powercut
