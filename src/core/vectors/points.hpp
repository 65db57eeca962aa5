#pragma once

#include <cstddef>
#include <vector>

#include "base/types.hpp"

namespace powercut {

/// Points in rows of somebody else's array, float32 or float64. A point may stand
/// for a group of points that move together: it is then their mean, and `weight`,
/// `count` and `scatter` are the group's.
struct PointsView {
  Node n = 0;
  Node dimensions = 0;
  const void* values = nullptr;
  bool single_precision = false;
  const double* weight = nullptr;   ///< null: 1
  const Count* count = nullptr;     ///< null: 1
  const double* scatter = nullptr;  ///< null: 0; squares around the mean, as a score has them
  std::size_t scatter_width = 0;    ///< numbers that are the scatter of a point

  double weight_of(Node i) const { return weight == nullptr ? 1 : weight[i]; }
  Count count_of(Node i) const { return count == nullptr ? 1 : count[i]; }

  const double* scatter_of(Node i) const {
    return scatter == nullptr ? nullptr : scatter + i * scatter_width;
  }

  /// Brings row i near.
  void expect(Node i) const {
    constexpr std::size_t line = 64;
    const std::size_t bytes = static_cast<std::size_t>(dimensions) * (single_precision ? 4 : 8);
    const char* row = static_cast<const char*>(values) + i * bytes;
    for (std::size_t at = 0; at < bytes && at < 8 * line; at += line) prefetch(row + at);
  }

  /// Row i as doubles: the array itself, or `buffer` filled from it.
  const double* row(Node i, std::vector<double>& buffer) const {
    const std::size_t d = static_cast<std::size_t>(dimensions);
    if (!single_precision) return static_cast<const double*>(values) + i * d;
    const float* x = static_cast<const float*>(values) + i * d;
    buffer.assign(x, x + d);
    return buffer.data();
  }
};

/// A point as a score sees it.
struct Moving {
  const double* x;
  double weight;
  const double* scatter;  ///< null: 0
};

/// Four running sums, so that the additions need not wait for each other.
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
