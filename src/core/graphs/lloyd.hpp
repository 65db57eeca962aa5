#pragma once

#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/view.hpp"
#include "prior/increments.hpp"

namespace powercut {

/// The same in kernel space, for the kernel K = W^-1 M W^-1 and weights W, where
/// M = graph + diag(diagonal), sparse or dense, and K is never formed. Nodes of
/// weight zero have no place in that space: they stay, and nobody joins them.
std::vector<double> lloyd_kernel(const GraphView& graph, std::span<const double> diagonal,
                                 std::span<const double> weight, std::span<Label> labels,
                                 Label n_labels, const PriorParameters& prior, int max_passes,
                                 Cancel& cancel);

}  // namespace powercut
