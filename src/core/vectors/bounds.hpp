#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// How the cost of a cluster grows with q_1, ..., q_d: by their sum, by ln(1 + their sum), or by
/// the sum of ln(1 + q_j).
enum class Growth { sum, log_of_sum, sum_of_logs };

/// What a cluster costs a point x of weight w at least: base + w slope growth(q_1, ..., q_d) with
///
///     q_j = factor precision_j (x_j - mean_j)^2
struct Outline {
  double base;
  double slope;
  double factor;
  const double* precision;  ///< d numbers for a sum of logs; else null, for ones
  const double* mean;       ///< d numbers
};

/// Bounds of what every cluster costs a few points at once.
///
/// All sums of q_j are products of a matrix of points and a matrix of clusters, which take a part
/// of the time that the costs take. A row has the features of a point, their squares and a one, for
/// which a column has -2 a m, a and a m^2, with a = factor * precision. They are multiplied in
/// single precision and made so much smaller that no rounding can lift a bound above the cost. So
/// bounds may differ between machines; what is found by way of them, with every cluster looked at
/// that could be cheaper, does not.
///
/// In a sum of logs, the q_j of a few features at a time are added up before the logarithm is
/// taken: it is then no larger.
class Screen {
 public:
  /// What is known of a few points; each thread has its own.
  struct Tile {
    std::vector<double> buffer;
    std::vector<float> rows;
    std::vector<float> weight;
    std::vector<float> bounds;
  };

  /// Clusters side by side: the number of bounds is a multiple of it.
  static constexpr std::size_t lanes = 16;
  /// Points worth looking at together.
  static constexpr std::size_t tile_length = 24;

  Screen(std::size_t dimensions, Growth growth);

  /// Forgets all clusters, and expects some around these means, of which only those of positive
  /// weight count. The nearer they are to the origin of the screen, the more digits are kept.
  void place(std::span<const double> means, std::span<const double> weights);

  /// Takes in a cluster, or puts another in its place.
  void set(Label c, const Outline& outline);
  /// Takes a cluster out: its bound is infinite.
  void hide(Label c);

  /// Fills the tile with the bounds of some rows of the points.
  void look(const PointsView& points, std::span<const Node> rows, Tile& tile) const;

  /// The bounds of a row of the tile, one a cluster, in units of the screen.
  std::span<float> bounds(Tile& tile, std::size_t row) const {
    return {tile.bounds.data() + row * stride(), stride()};
  }
  /// The cluster of the lowest of such bounds, the first of equals; -1 if none is below the limit.
  static Label lowest(std::span<const float> bounds, double limit);

  /// Calls visit(c), in order, for each cluster whose bound is not above the limit.
  template <class Visit>
  static void for_each_within(std::span<const float> bounds, double limit, const Visit& visit) {
    constexpr float largest = std::numeric_limits<float>::max();
    const float most =
        limit < largest ? std::nextafter(static_cast<float>(limit), largest) : largest;
    for (std::size_t first = 0; first < bounds.size(); first += lanes) {
      int within = 0;  // seldom any: told of many at a time
      for (std::size_t lane = 0; lane < lanes; ++lane) within |= bounds[first + lane] <= most;
      if (!within) continue;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (bounds[first + lane] <= most) visit(static_cast<Label>(first + lane));
      }
    }
  }

  /// A cost in units of the screen.
  double in_units(double cost) const { return cost * unit_; }

 private:
  std::size_t stride() const { return base_.size(); }
  void grow(Label clusters);

  bool is_round() const { return growth_ != Growth::sum_of_logs; }

  std::size_t d_;
  Growth growth_;
  std::size_t group_length_;             ///< features of a group
  std::size_t width_ = 0;                ///< numbers of a row
  std::vector<std::size_t> group_ends_;  ///< where groups end in a row
  std::vector<double> origin_;
  double scale_ = 1;                 ///< of the features
  double unit_ = 1;                  ///< of the costs
  std::vector<float> coefficients_;  ///< panels of clusters side by side, number by number
  std::vector<float> base_;
  std::vector<float> slope_;
};

}  // namespace powercut
