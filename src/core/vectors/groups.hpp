#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// How the scatter of a group around its mean is stored: not at all, as one number (the trace), one
/// number per feature, or a matrix.
enum class Squares { none, total, features, matrix };

inline std::size_t width_of(Squares squares, std::size_t d) {
  switch (squares) {
    case Squares::total: return 1;
    case Squares::features: return d;
    case Squares::matrix: return d * d;
    default: return 0;
  }
}

/// Groups of points as points: one element or row per group.
struct PointGroups {
  std::vector<double> mean;  ///< zeros for empty groups
  std::vector<double> weight;
  std::vector<Count> count;
  std::vector<double> scatter;
  std::size_t dimensions;
  std::size_t scatter_width;

  WeightedPoint as_point(Label c) const {
    return {&mean[c * dimensions], weight[c],
            scatter_width == 0 ? nullptr : &scatter[c * scatter_width]};
  }
};

/// The number of threads that pay off for summing points.
inline int threads_for_sums(const PointsView& points, int n_threads) {
  constexpr std::int64_t numbers_per_thread = 1 << 18;
  const std::int64_t numbers = static_cast<std::int64_t>(points.n) * points.dimensions;
  return static_cast<int>(std::clamp<std::int64_t>(numbers / numbers_per_thread, 1, n_threads));
}

/// The groups of points that labels in [0, n_labels) define.
///
/// The points of a group are summed in pieces of fixed length, in the order of the rows, so the
/// sums do not depend on the number of threads. Squares are taken around the mean in a second pass.
PointGroups point_groups(const PointsView& points, std::span<const Label> labels, Label n_labels,
                         Squares squares, ThreadTeam& team, Ticker& ticker);

/// Adds row c of `others`, the mean of a group with its weight, count and scatter, to group c.
void add_groups(PointGroups& groups, const PointsView& others, Squares squares);

}  // namespace powercut
