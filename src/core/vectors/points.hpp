#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "base/types.hpp"

namespace powercut {

/// Points as rows of the caller's array, float32 or float64. A row may stand for a group of points
/// that move together: it is then their mean, with the `weight`, `count` and `scatter` of the
/// group.
struct PointsView {
  Node n = 0;
  Node dimensions = 0;
  const void* values = nullptr;
  bool single_precision = false;
  const double* weight = nullptr;  ///< null: 1
  const Count* count = nullptr;    ///< null: 1
  const double* scatter =
      nullptr;  ///< null: 0; squares around the mean, in the form that the score needs
  std::size_t scatter_width = 0;  ///< numbers per point
  /// Only the first rows have scatter; it is 0 for the others.
  Node scatter_rows = std::numeric_limits<Node>::max();
  /// Members of the clusters that are not among the points: row c stands for those of cluster c.
  /// They never move. Null: there are none.
  const PointsView* elsewhere = nullptr;

  double weight_of(Node i) const { return weight == nullptr ? 1 : weight[i]; }
  Count count_of(Node i) const { return count == nullptr ? 1 : count[i]; }

  /// The number of original points in all clusters.
  Count total_count() const {
    Count sum = elsewhere == nullptr ? 0 : elsewhere->total_count();
    for (Node i = 0; i < n; ++i) sum += count_of(i);
    return sum;
  }

  const double* scatter_of(Node i) const {
    return scatter == nullptr || i >= scatter_rows ? nullptr : scatter + i * scatter_width;
  }

  /// Whether all rows have scatter.
  bool is_scattered() const { return scatter != nullptr && scatter_rows >= n; }

  /// Whether row i is a point, not a group.
  bool is_single(Node i) const { return count_of(i) == 1 && scatter_of(i) == nullptr; }

  /// Starts to load row i into the cache.
  void prefetch(Node i) const {
    constexpr std::size_t line = 64;
    const std::size_t bytes = static_cast<std::size_t>(dimensions) * (single_precision ? 4 : 8);
    const char* row = static_cast<const char*>(values) + i * bytes;
    for (std::size_t at = 0; at < bytes && at < 8 * line; at += line) prefetch_memory(row + at);
  }

  /// Row i as doubles: the array itself, or a converted copy in `buffer`.
  const double* row(Node i, std::vector<double>& buffer) const {
    const std::size_t d = static_cast<std::size_t>(dimensions);
    if (!single_precision) return static_cast<const double*>(values) + i * d;
    const float* x = static_cast<const float*>(values) + i * d;
    buffer.assign(x, x + d);
    return buffer.data();
  }
};

/// A point in the form that scores use.
struct WeightedPoint {
  const double* x;
  double weight;
  const double* scatter;  ///< null: 0
};

/// Four independent sums, for instruction-level parallelism.
inline double squared_distance(const double* x, const double* y, std::size_t d) {
  double sum[4] = {0, 0, 0, 0};
  std::size_t j = 0;
  for (; j + 4 <= d; j += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const double difference = x[j + lane] - y[j + lane];
      sum[lane] += difference * difference;
    }
  }
  for (; j < d; ++j) {
    const double difference = x[j] - y[j];
    sum[0] += difference * difference;
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace powercut
