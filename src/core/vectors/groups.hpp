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

/// How the squares of a group around its mean are kept: not at all, all features in one number,
/// a number a feature, or the products of any two features in a matrix.
enum class Squares { none, total, features, matrix };

inline std::size_t width_of(Squares squares, std::size_t d) {
  switch (squares) {
    case Squares::total: return 1;
    case Squares::features: return d;
    case Squares::matrix: return d * d;
    default: return 0;
  }
}

/// Groups of points as points: an element or a row for each group.
struct PointGroups {
  std::vector<double> mean;  ///< zeros where a group is empty
  std::vector<double> weight;
  std::vector<Count> count;
  std::vector<double> scatter;
  std::size_t dimensions;
  std::size_t scatter_width;

  Moving moving(Label c) const {
    return {&mean[c * dimensions], weight[c],
            scatter_width == 0 ? nullptr : &scatter[c * scatter_width]};
  }
};

/// How many threads are worth their while for summing points.
inline int worth_sharing(const PointsView& points, int n_threads) {
  constexpr std::int64_t numbers_a_thread = 1 << 18;
  const std::int64_t numbers = static_cast<std::int64_t>(points.n) * points.dimensions;
  return static_cast<int>(std::clamp<std::int64_t>(numbers / numbers_a_thread, 1, n_threads));
}

/// The groups that labels in [0, n_labels) make of points.
///
/// The points of a group are summed in pieces, each in the order of the rows, and the pieces in
/// their order: the sums do not depend on the number of threads. Squares are taken around the
/// mean once it is known.
PointGroups point_groups(const PointsView& points, std::span<const Label> labels, Label n_labels,
                         Squares squares, Team& team, Ticker& ticker);

}  // namespace powercut
