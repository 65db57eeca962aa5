#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/types.hpp"
#include "vectors/bounds.hpp"
#include "vectors/groups.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// The clusters of the `kmeans` score: the weighted sum of squares within each.
class KMeansClusters {
 public:
  static constexpr Squares squares = Squares::none;
  static constexpr Growth bound_growth = Growth::sum;

  explicit KMeansClusters(const PointsView& points)
      : d_(points.dimensions), heaviest_(heaviest(points)) {}

  void grow(std::size_t clusters) {
    mean_.resize(clusters * d_, 0);
    weight_.resize(clusters, 0);
  }

  /// The cost of a singleton.
  double singleton_cost(const WeightedPoint&) const { return 0; }

  double join(Label c, const WeightedPoint& point, double /*bound*/) const {
    const double w = point.weight;
    return w * weight_[c] / (weight_[c] + w) * squared_distance(point.x, mean(c), d_);
  }

  /// Not for singletons: a cluster that becomes empty costs nothing.
  double leave(Label c, const WeightedPoint& point) const {
    const double w = point.weight;
    return -w * weight_[c] / (weight_[c] - w) * squared_distance(point.x, mean(c), d_);
  }

  ClusterBound bound(Label c) const {
    return {0, 1, weight_[c] / (weight_[c] + heaviest_), nullptr, mean(c)};
  }

  void add(Label c, const WeightedPoint& point) {
    weight_[c] += point.weight;
    shift(c, point.x, point.weight / weight_[c]);
  }

  void remove(Label c, const WeightedPoint& point) {
    weight_[c] -= point.weight;
    shift(c, point.x, -point.weight / weight_[c]);
  }

  void clear(Label c) {
    weight_[c] = 0;
    std::fill_n(mean_.begin() + static_cast<std::ptrdiff_t>(c * d_), d_, 0.0);
  }

 private:
  /// The largest weight of a single point: bounds are for these.
  static double heaviest(const PointsView& points) {
    double most = 0;
    for (Node i = 0; i < points.n; ++i) {
      if (points.is_single(i)) most = std::max(most, points.weight_of(i));
    }
    return most;
  }

  const double* mean(Label c) const { return mean_.data() + c * d_; }

  void shift(Label c, const double* x, double part) {
    double* m = mean_.data() + c * d_;
    for (std::size_t j = 0; j < d_; ++j) m[j] += part * (x[j] - m[j]);
  }

  std::size_t d_;
  double heaviest_;
  std::vector<double> mean_;
  std::vector<double> weight_;
};

}  // namespace powercut
