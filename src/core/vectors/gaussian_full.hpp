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
#include "vectors/symmetric.hpp"

namespace powercut {

/// Clusters with a full covariance matrix and a normal-inverse-Wishart prior:
///
///     f = a_n ln |B| - a ln |B0| + T(W),    a_n = a + W / 2
///
/// B = B0 + half the scatter matrix around the posterior mean and of that mean around the prior
/// mean; T has the d arguments a, a - 1/2, ..., a - (d - 1)/2. Each cluster stores B and its
/// Cholesky factor L: a point at difference v from the posterior mean multiplies |B| by 1 + factor
/// |L^-1 v|^2.
class FullClusters {
 public:
  static constexpr Squares squares = Squares::matrix;
  static constexpr Growth bound_growth = Growth::log_of_sum;

  FullClusters(const PointsView& points, const GaussianParameters& prior, CancellationToken& token)
      : d_(points.dimensions),
        shape_(prior.shape),
        first_(prior.scale, prior.scale + d_ * d_),
        means_(d_, prior),
        term_(points, prior.kappa, prior.shape, d_, 1, 0.5, token) {
    grow(0);
  }

  void grow(std::size_t clusters) {
    means_.grow(clusters + 1);
    const std::size_t before = log_scale_.size();
    scale_.resize((clusters + 1) * d_ * d_);
    cholesky_.resize((clusters + 1) * d_ * d_);
    log_scale_.resize(clusters + 1);
    for (std::size_t at = before; at <= clusters; ++at) set_scale(at, first_.data());
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
    const double factor = means_.leave_factor(at, s);
    double log_left;
    if (point.scatter == nullptr) {
      const double left = 1 - factor * solve(at, point.x, std::numeric_limits<double>::infinity());
      log_left = std::max(std::log(std::max(left, 0.0)), log_scale_[0] - log_scale_[at]);
    } else {
      change(at, point, -factor);
      log_left = std::max(log_determinant(own_scratch()), log_scale_[0]) - log_scale_[at];
    }
    return (shape_ + 0.5 * rest) * log_left - 0.5 * s * log_scale_[at] - term_.rise(rest, s);
  }

  /// The largest eigenvalue of B is at most its Frobenius norm.
  ClusterBound bound(Label c) const {
    const std::size_t at = slot(c);
    double squares_sum = 0;
    for (std::size_t j = 0; j < d_; ++j) {
      const double* row = &scale_[(at * d_ + j) * d_];
      for (std::size_t i = 0; i < j; ++i) squares_sum += 2 * row[i] * row[i];
      squares_sum += row[j] * row[j];
    }
    return {term_.rise(means_.weight(at), 1) + 0.5 * log_scale_[at],
            shape_ + 0.5 * (means_.weight(at) + 1),
            means_.join_factor(at, 1) / std::sqrt(squares_sum), nullptr, means_.mean(at)};
  }

  void add(Label c, const WeightedPoint& point) {
    const std::size_t at = slot(c);
    change(at, point, means_.join_factor(at, point.weight));
    set_scale(at, own_scratch().grown.data());
    means_.add(at, point.x, point.weight);
  }

  void remove(Label c, const WeightedPoint& point) {
    const std::size_t at = slot(c);
    change(at, point, -means_.leave_factor(at, point.weight));
    set_scale(at, own_scratch().grown.data());
    means_.remove(at, point.x, point.weight);
  }

  void clear(Label c) {
    means_.clear(slot(c));
    set_scale(slot(c), first_.data());
  }

 private:
  /// One matrix and its factor, per thread.
  struct Scratch {
    std::vector<double> grown;
    std::vector<double> factor;
    std::vector<double> solved;
  };

  Scratch& own_scratch() const {
    thread_local Scratch scratch;
    if (scratch.solved.size() < d_) {
      scratch.grown.resize(d_ * d_);
      scratch.factor.resize(d_ * d_);
      scratch.solved.resize(d_);
    }
    return scratch;
  }

  static std::size_t slot(Label c) { return static_cast<std::size_t>(c) + 1; }

  double cost(std::size_t at, const WeightedPoint& point, double bound) const {
    const double s = point.weight, weight = means_.weight(at);
    const double least = term_.rise(weight, s) + 0.5 * s * log_scale_[at];
    if (least >= bound) return least;
    const double shape = shape_ + 0.5 * (weight + s), factor = means_.join_factor(at, s);
    // Scatter only adds to the determinant, and the distance takes much less time than it.
    const double far = std::expm1((bound - least) / shape) / factor;
    const double at_mean = least + shape * std::log1p(factor * solve(at, point.x, far));
    if (point.scatter == nullptr || at_mean >= bound) return at_mean;
    change(at, point, factor);
    return least + shape * (log_determinant(own_scratch()) - log_scale_[at]);
  }

  /// |L^-1 (x - mean)|^2; may stop once it exceeds `far`.
  double solve(std::size_t at, const double* x, double far) const {
    const double *factor = &cholesky_[at * d_ * d_], *mean = means_.mean(at);
    double *rest = own_scratch().solved.data(), sum = 0;
    for (std::size_t j = 0; j < d_; ++j) rest[j] = x[j] - mean[j];
    for (std::size_t j = 0; j < d_ && sum < far; ++j) {
      const double *column = factor + j * d_, solved = rest[j] / column[j];
      for (std::size_t i = j + 1; i < d_; ++i) rest[i] -= column[i] * solved;
      sum += solved * solved;
    }
    return sum;
  }

  /// Writes B after a point joined (factor > 0) or left (factor < 0) to the scratch.
  void change(std::size_t at, const WeightedPoint& point, double factor) const {
    const double *mean = means_.mean(at), *before = &scale_[at * d_ * d_];
    const double half = factor < 0 ? -0.5 : 0.5;
    double* grown = own_scratch().grown.data();
    for (std::size_t j = 0; j < d_; ++j) {
      const double away = factor * (point.x[j] - mean[j]);
      for (std::size_t i = 0; i <= j; ++i) {
        double value = before[j * d_ + i] + away * (point.x[i] - mean[i]);
        if (point.scatter != nullptr) value += half * point.scatter[j * d_ + i];
        grown[j * d_ + i] = value;
      }
    }
  }

  /// ln |grown| from its lower triangle, whose Cholesky factor is also written to the scratch.
  double log_determinant(Scratch& scratch) const {
    return symmetric::factorise(scratch.grown.data(), d_, scratch.factor.data());
  }

  void set_scale(std::size_t at, const double* matrix) {
    Scratch& scratch = own_scratch();
    if (matrix != scratch.grown.data()) std::copy_n(matrix, d_ * d_, scratch.grown.begin());
    log_scale_[at] = log_determinant(scratch);
    std::copy_n(scratch.grown.begin(), d_ * d_, &scale_[at * d_ * d_]);
    std::copy_n(scratch.factor.begin(), d_ * d_, &cholesky_[at * d_ * d_]);
  }

  std::size_t d_;
  double shape_;
  std::vector<double> first_;
  PosteriorMeans means_;
  WeightTerm term_;
  std::vector<double> scale_;     ///< lower triangles
  std::vector<double> cholesky_;  ///< with their transposes in the upper triangles
  std::vector<double> log_scale_;
};

}  // namespace powercut
