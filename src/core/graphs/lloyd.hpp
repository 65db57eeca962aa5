#pragma once

#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/view.hpp"
#include "prior/increments.hpp"

namespace powercut {

/// Algorithm 1 (see vectors/lloyd.hpp) in kernel space, for K = W^-1 M W^-1 with weights W and M =
/// graph + diag(diagonal), sparse or dense. K is never formed. Nodes of weight zero are not part of
/// that space: they stay where they are, and no node joins them.
std::vector<double> lloyd_kernel(const GraphView& graph, std::span<const double> diagonal,
                                 std::span<const double> weight, std::span<Label> labels,
                                 Label n_labels, const PriorParameters& prior, int max_passes,
                                 CancellationToken& token);

}  // namespace powercut
