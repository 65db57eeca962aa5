#pragma once

#include <cstddef>
#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// Points and queries in cells: a query is compared with the points of its own cell.
struct PointCells {
  std::span<const Label> of_points;
  std::span<const Label> of_queries;
  Label n_cells;
  std::span<const Node> excluded;  ///< a point that each query is not compared with; empty: none
};

/// The nearest points of each query that are known, nearest first, of equally near ones the first;
/// -1, at infinite distance, where fewer than `k` are known.
struct NearestPoints {
  std::size_t k;
  std::span<Node> point;      ///< k per query
  std::span<double> squares;  ///< their squared distances
};

/// Compares each query with the points of its cell, and updates its nearest points; weights are
/// ignored.
void find_nearest_points(const PointsView& points, const PointsView& queries,
                         const PointCells& cells, const NearestPoints& nearest, int n_threads,
                         CancellationToken& token);

}  // namespace powercut
