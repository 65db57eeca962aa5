#pragma once

#include <cstddef>
#include <span>

#include "base/types.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// How many rows ahead of the one that is read the entries of a row are prefetched: what finds them
/// twice as many, what they point to half as many.
constexpr std::size_t rows_ahead = 8;

/// Prefetches the rows that follow the one at a position of a list, of those nodes that are wanted,
/// and what an array has for their neighbors.
template <class T, class Wanted>
void prefetch_next_rows(const GraphView& graph, std::span<const Node> nodes, std::size_t at,
                        const T* of_neighbor, Wanted&& wanted) {
  const auto ahead = [&](std::size_t by, auto&& prefetch) POWERCUT_INLINE {
    if (at + by < nodes.size() && wanted(nodes[at + by])) prefetch(nodes[at + by]);
  };
  ahead(2 * rows_ahead, [&](Node node) { graph.prefetch_offset(node); });
  ahead(rows_ahead, [&](Node node) { graph.prefetch_entries(node); });
  ahead(rows_ahead / 2, [&](Node node) { graph.prefetch_columns(node, of_neighbor); });
  ahead(rows_ahead / 4, [&](Node node) { graph.prefetch_groups(node, of_neighbor); });
}

template <class T>
void prefetch_next_rows(const GraphView& graph, std::span<const Node> nodes, std::size_t at,
                        const T* of_neighbor) {
  prefetch_next_rows(graph, nodes, at, of_neighbor, [](Node) { return true; });
}

}  // namespace powercut
