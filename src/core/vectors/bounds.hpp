#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// How the cost of a cluster depends on q_1, ..., q_d: their sum, ln(1 + their sum), or the sum of
/// ln(1 + q_j).
enum class Growth { sum, log_of_sum, sum_of_logs };

/// A lower bound of the cost of adding a point x of weight w to a cluster:
///
///     base + w slope growth(q_1, ..., q_d),    q_j = factor precision_j (x_j - mean_j)^2
struct ClusterBound {
  double base;
  double slope;
  double factor;
  const double* precision;  ///< d numbers for a sum of logs; otherwise null: ones
  const double* mean;       ///< d numbers
};

/// Lower bounds of the costs of all clusters for a few points at once.
///
/// The sums of q_j are a product of a matrix of points and a matrix of clusters, which is much
/// faster than the costs themselves. The row of a point has its features, their squares and a one;
/// the column of a cluster has -2 a m, a and a m^2, with a = factor * precision. The product is
/// computed in single precision and lowered by more than its rounding error. Bounds may thus differ
/// between machines; results do not, because every cluster that could be cheaper is evaluated
/// exactly.
///
/// For a sum of logs, the q_j of a few features are added before the logarithm, which only lowers
/// it.
class CostBounds {
 public:
  /// The data of a few points; one per thread.
  struct Tile {
    std::vector<double> buffer;
    std::vector<float> rows;
    std::vector<float> weight;
    std::vector<float> bounds;
  };

  /// Clusters per panel; the number of bounds is a multiple of it.
  static constexpr std::size_t lanes = 16;
  /// Points evaluated together.
  static constexpr std::size_t tile_length = 24;

  CostBounds(std::size_t dimensions, Growth growth);

  /// Removes all clusters and chooses origin and scale for clusters near these means; only those of
  /// positive weight count. The closer the means are to the origin, the smaller is the rounding
  /// error.
  void reset(std::span<const double> means, std::span<const double> weights);

  /// Adds or replaces a cluster.
  void set(Label c, const ClusterBound& bound);
  /// Removes a cluster: its bound becomes infinite.
  void remove(Label c);

  /// Computes the bounds for some rows of the points.
  void evaluate(const PointsView& points, std::span<const Node> rows, Tile& tile) const;

  /// The bounds for a row of the tile, one per cluster, in units of `in_units`.
  std::span<float> row_bounds(Tile& tile, std::size_t row) const {
    return {tile.bounds.data() + row * stride(), stride()};
  }
  /// The cluster with the lowest bound, the first of equals; -1 if none is below the limit.
  static Label lowest(std::span<const float> bounds, double limit);

  /// Calls visit(c), in order, for each cluster whose bound is not above the limit.
  template <class Visit>
  static void for_each_within(std::span<const float> bounds, double limit, const Visit& visit) {
    constexpr float largest = std::numeric_limits<float>::max();
    const float most =
        limit < largest ? std::nextafter(static_cast<float>(limit), largest) : largest;
    for (std::size_t first = 0; first < bounds.size(); first += lanes) {
      int within = 0;  // rarely any, so a whole panel is tested at once
      for (std::size_t lane = 0; lane < lanes; ++lane) within |= bounds[first + lane] <= most;
      if (!within) continue;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (bounds[first + lane] <= most) visit(static_cast<Label>(first + lane));
      }
    }
  }

  /// A cost in the units of the bounds.
  double in_units(double cost) const { return cost * unit_; }

 private:
  std::size_t stride() const { return base_.size(); }
  void grow(Label clusters);

  bool is_round() const { return growth_ != Growth::sum_of_logs; }

  std::size_t d_;
  Growth growth_;
  std::size_t group_length_;             ///< features per group
  std::size_t width_ = 0;                ///< numbers per row
  std::vector<std::size_t> group_ends_;  ///< of each group in a row
  std::vector<double> origin_;
  double scale_ = 1;                 ///< of features
  double unit_ = 1;                  ///< of costs
  std::vector<float> coefficients_;  ///< by panel, then by row of the column, then by cluster
  std::vector<float> base_;
  std::vector<float> slope_;
};

}  // namespace powercut
