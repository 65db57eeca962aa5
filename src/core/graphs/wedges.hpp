#pragma once

#include <cstdint>
#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/view.hpp"

namespace powercut {

struct Wedges {
  Count n;         ///< wedges with two different ends
  double surplus;  ///< weight that closes them, less what was expected
};

/// Draws wedges i - j - k inside clusters, by the product of their two weights. Between two nodes
/// of a cluster the product of their sizes and its density is expected. `strength` is the weight
/// that joins each node to the others of its cluster; rows must be sorted.
Wedges draw_wedges(const GraphView& graph, std::span<const Label> labels,
                   std::span<const double> strength, std::span<const double> size,
                   std::span<const double> density, Count draws, std::uint64_t seed,
                   Cancel& cancel);

}  // namespace powercut
