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

/// Means over sampled edges i - j, where t is the number of triangles on an edge.
struct Triangles {
  double per_edge;  ///< of t
  double inverse;   ///< of 1 / (1 + t)
  double inside;    ///< of the triangles whose three nodes are in one cluster
  double across;    ///< of the triangles with two nodes in one cluster, on an edge between
};

/// Samples edges, not self-loops, with replacement, or takes all if there are no more than `draws`;
/// rows must be sorted.
Triangles sample_triangles(const GraphView& graph, std::span<const Label> labels, Count draws,
                           std::uint64_t seed, CancellationToken& token);

}  // namespace powercut
