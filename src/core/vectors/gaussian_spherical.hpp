#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "vectors/bounds.hpp"
#include "vectors/gaussian.hpp"
#include "vectors/groups.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// Clusters with a spherical covariance: one variance for all features.
///
///     f = a_n ln b - a ln b0 + T(W),    a_n = a + d W / 2
///
/// b = b0 + half the scatter around the posterior mean and of that mean around the prior mean,
/// summed over the features.
class SphericalClusters {
 public:
  static constexpr Squares squares = Squares::total;
  static constexpr Growth bound_growth = Growth::log_of_sum;

  SphericalClusters(const PointsView& points, const GaussianParameters& prior,
                    CancellationToken& token)
      : d_(points.dimensions),
        rate_(0.5 * static_cast<double>(points.dimensions)),
        shape_(prior.shape),
        first_(*prior.scale),
        means_(d_, prior),
        term_(points, prior.kappa, prior.shape, 1, 1, rate_, token) {
    grow(0);
  }

  void grow(std::size_t clusters) {
    means_.grow(clusters + 1);
    scale_.resize(clusters + 1, first_);
    log_scale_.resize(clusters + 1, std::log(first_));
  }

  double singleton_cost(const WeightedPoint& point) const {
    return cost(0, point, std::numeric_limits<double>::infinity());
  }
  double join(Label c, const WeightedPoint& point, double bound) const {
    return cost(slot(c), point, bound);
  }

  double leave(Label c, const WeightedPoint& point) const {
    const std::size_t at = slot(c);
    const double s = point.weight, rest = means_.weight(at) - s;
    const double less = change(at, point, means_.leave_factor(at, s));
    const double left = std::max(1 - less / scale_[at], first_ / scale_[at]);
    return (shape_ + rate_ * rest) * std::log(left) - rate_ * s * log_scale_[at] -
           term_.rise(rest, s);
  }

  ClusterBound bound(Label c) const {
    const std::size_t at = slot(c);
    return {term_.rise(means_.weight(at), 1) + rate_ * log_scale_[at],
            shape_ + rate_ * (means_.weight(at) + 1), means_.join_factor(at, 1) / scale_[at],
            nullptr, means_.mean(at)};
  }

  void add(Label c, const WeightedPoint& point) {
    const std::size_t at = slot(c);
    set_scale(at, scale_[at] + change(at, point, means_.join_factor(at, point.weight)));
    means_.add(at, point.x, point.weight);
  }

  void remove(Label c, const WeightedPoint& point) {
    const std::size_t at = slot(c);
    const double less = change(at, point, means_.leave_factor(at, point.weight));
    set_scale(at, std::max(scale_[at] - less, first_));
    means_.remove(at, point.x, point.weight);
  }

  void clear(Label c) {
    means_.clear(slot(c));
    set_scale(slot(c), first_);
  }

 private:
  static std::size_t slot(Label c) { return static_cast<std::size_t>(c) + 1; }

  double cost(std::size_t at, const WeightedPoint& point, double bound) const {
    const double s = point.weight, weight = means_.weight(at);
    const double least = term_.rise(weight, s) + rate_ * s * log_scale_[at];
    if (least >= bound) return least;
    const double more = change(at, point, means_.join_factor(at, s));
    return least + (shape_ + rate_ * (weight + s)) * std::log1p(more / scale_[at]);
  }

  double change(std::size_t at, const WeightedPoint& point, double factor) const {
    const double scatter = point.scatter == nullptr ? 0 : *point.scatter;
    return factor * squared_distance(point.x, means_.mean(at), d_) + 0.5 * scatter;
  }

  void set_scale(std::size_t at, double value) {
    scale_[at] = value;
    log_scale_[at] = std::log(value);
  }

  std::size_t d_;
  double rate_;
  double shape_;
  double first_;
  PosteriorMeans means_;
  WeightTerm term_;
  std::vector<double> scale_;
  std::vector<double> log_scale_;
};

}  // namespace powercut
