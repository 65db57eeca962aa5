#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// Labels the connected components of each cluster, numbered by smallest member; returns how many
/// there are.
Label split_components(const GraphView& graph, std::span<const Label> labels,
                       std::span<Label> components, CancellationToken& token);

}  // namespace powercut
