#pragma once

#include <cstdint>
#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/view.hpp"

namespace powercut {

struct Wedges {
  Count n;         ///< wedges with distinct ends
  double surplus;  ///< weight that closes them minus its expectation
};

/// Samples wedges i - j - k inside clusters, in proportion to the product of their two weights. The
/// expected weight between two nodes of a cluster is the product of their sizes and its density.
/// `strength` is the weight of each node's edges to its own cluster; rows must be sorted.
Wedges draw_wedges(const GraphView& graph, std::span<const Label> labels,
                   std::span<const double> strength, std::span<const double> size,
                   std::span<const double> density, Count draws, std::uint64_t seed,
                   CancellationToken& token);

}  // namespace powercut
