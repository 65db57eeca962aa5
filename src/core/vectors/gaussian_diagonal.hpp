#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/cancellation.hpp"
#include "base/log_product.hpp"
#include "base/types.hpp"
#include "vectors/bounds.hpp"
#include "vectors/gaussian.hpp"
#include "vectors/groups.hpp"
#include "vectors/log_growth.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// Clusters with a diagonal covariance: features are independent, each with its own variance.
///
///     f = sum_j [a_n ln b_j - a ln b0_j] + T(W),    a_n = a + W / 2
///     b_j = b0_j + half the scatter around the posterior mean and of that mean around the prior
///     mean
///
/// When s points with scatter S join at x, b_j grows by S_j / 2 + kappa_n s / (2 (kappa_n + s))
/// (x_j - m_j)^2. Logarithms are taken of products over features. Every factor of a join is at
/// least 1, so a partial product already bounds its cost from below.
class DiagonalClusters {
 public:
  static constexpr Squares squares = Squares::features;
  static constexpr Growth bound_growth = Growth::sum_of_logs;

  DiagonalClusters(const PointsView& points, const GaussianParameters& prior,
                   CancellationToken& token)
      : d_(points.dimensions),
        shape_(prior.shape),
        first_(prior.scale, prior.scale + points.dimensions),
        nothing_(d_, 0.0),
        means_(d_, prior),
        term_(points, prior.kappa, prior.shape, 1, static_cast<double>(points.dimensions), 0.5,
              token) {
    grow(0);
  }

  void grow(std::size_t clusters) {
    means_.grow(clusters + 1);
    log_scale_.resize(clusters + 1, sum_of_logs(first_.data()));
    while (scale_.size() < (clusters + 1) * d_) {
      for (const double b : first_) {
        scale_.push_back(b);
        inverse_.push_back(1 / b);
      }
    }
  }

  double singleton_cost(const WeightedPoint& point) const { return cost(0, point, infinity); }
  double join(Label c, const WeightedPoint& point, double bound) const {
    return cost(slot(c), point, bound);
  }

  double leave(Label c, const WeightedPoint& point) const {
    const std::size_t at = slot(c);
    const double s = point.weight, rest = means_.weight(at) - s;
    const double factor = means_.leave_factor(at, s);
    const double *mean = means_.mean(at), *inverse = &inverse_[at * d_];
    const double* scatter = point.scatter == nullptr ? nothing_.data() : point.scatter;
    const double logs = log_product::sum_of_logs(d_, [&](std::size_t j) POWERCUT_INLINE {
      const double away = point.x[j] - mean[j];
      const double left = 1 - (factor * away * away + 0.5 * scatter[j]) * inverse[j];
      return std::max(left, first_[j] * inverse[j]);
    });
    return (shape_ + 0.5 * rest) * logs - 0.5 * s * log_scale_[at] - term_.rise(rest, s);
  }

  ClusterBound bound(Label c) const {
    const std::size_t at = slot(c);
    return {term_.rise(means_.weight(at), 1) + 0.5 * log_scale_[at],
            shape_ + 0.5 * (means_.weight(at) + 1), means_.join_factor(at, 1), &inverse_[at * d_],
            means_.mean(at)};
  }

  void add(Label c, const WeightedPoint& point) {
    const std::size_t at = slot(c);
    widen(at, point, means_.join_factor(at, point.weight), 1);
    means_.add(at, point.x, point.weight);
  }

  void remove(Label c, const WeightedPoint& point) {
    const std::size_t at = slot(c);
    widen(at, point, means_.leave_factor(at, point.weight), -1);
    means_.remove(at, point.x, point.weight);
  }

  void clear(Label c) {
    const std::size_t at = slot(c);
    means_.clear(at);
    for (std::size_t j = 0; j < d_; ++j) set_scale(at * d_ + j, first_[j]);
    log_scale_[at] = log_scale_[0];
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  static std::size_t slot(Label c) { return static_cast<std::size_t>(c) + 1; }

  double cost(std::size_t at, const WeightedPoint& point, double bound) const {
    const double s = point.weight, weight = means_.weight(at);
    const double least = term_.rise(weight, s) + 0.5 * s * log_scale_[at];
    if (least >= bound) return infinity;
    const double shape = shape_ + 0.5 * (weight + s), factor = means_.join_factor(at, s);
    return least + shape * log_growth({d_, point.x, means_.mean(at), point.scatter,
                                       &inverse_[at * d_], factor},
                                      (bound - least) / shape);
  }

  void widen(std::size_t at, const WeightedPoint& point, double factor, double sign) {
    const double* mean = means_.mean(at);
    const double* scatter = point.scatter == nullptr ? nothing_.data() : point.scatter;
    for (std::size_t j = 0; j < d_; ++j) {
      const double away = point.x[j] - mean[j];
      const double more = factor * away * away + 0.5 * scatter[j];
      set_scale(at * d_ + j, std::max(scale_[at * d_ + j] + sign * more, first_[j]));
    }
    log_scale_[at] = sum_of_logs(&scale_[at * d_]);
  }

  void set_scale(std::size_t where, double value) {
    scale_[where] = value;
    inverse_[where] = 1 / value;
  }

  double sum_of_logs(const double* values) const {
    return log_product::sum_of_logs(d_, [=](std::size_t j) { return values[j]; });
  }

  std::size_t d_;
  double shape_;
  std::vector<double> first_;
  std::vector<double> nothing_;
  PosteriorMeans means_;
  WeightTerm term_;
  std::vector<double> scale_;
  std::vector<double> inverse_;
  std::vector<double> log_scale_;
};

}  // namespace powercut
