#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/cancellation.hpp"
#include "base/log_gamma.hpp"
#include "base/types.hpp"
#include "vectors/points.hpp"

namespace powercut {

enum class Covariance { diagonal, spherical, full };

/// The prior of a cluster's mean and covariance: a mean near `mean`, as if observed on `kappa`
/// points, and a variance near scale / shape, as if observed on 2 * shape points.
struct GaussianParameters {
  Covariance covariance;
  const double* mean;  ///< d numbers
  double kappa;
  double shape;
  const double* scale;  ///< by covariance: d numbers, one, or a d x d matrix
};

/// The part of -ln marginal likelihood that depends on the weight W of a cluster alone:
///
///     T(W) = - times sum_i [lnGamma(shape_i + rate W) - lnGamma(shape_i)]
///            + d/2 ln(1 + W / kappa) + d W / 2 ln(2 pi)
///
/// with shapes that are `rate` apart. Integer weights, such as those of groups of unweighted
/// points, are tabulated. The rounding of the table is harmless: a move and its reverse use the
/// same numbers.
class WeightTerm {
 public:
  /// The shapes are shape, shape - rate, ..., `n_shapes` in all.
  WeightTerm(const PointsView& points, double kappa, double shape, std::size_t n_shapes,
             double times, double rate, CancellationToken& token)
      : d_(static_cast<double>(points.dimensions)),
        kappa_(kappa),
        shape_(shape),
        n_shapes_(n_shapes),
        times_(times),
        rate_(rate) {
    // A table up to the total weight would take longer than the moves of a few of the points.
    if (points.elsewhere != nullptr) return;
    double total = 0;
    for (Node i = 0; i < points.n; ++i) {
      const double w = points.weight_of(i);
      if (w != std::floor(w)) return;
      total += w;
    }
    if (total >= table_limit) return;
    // One more than the total weight: a bound may add a point to a cluster that contains it.
    std::vector<double> table(static_cast<std::size_t>(total) + 2, 0.0);
    Ticker ticker(token);
    for (std::size_t w = 0; w + 1 < table.size(); ++w) {
      table[w + 1] = table[w] + rise_by_one(static_cast<double>(w));
      ticker.tick(16);
    }
    table_ = std::move(table);
  }

  /// T(W + s) - T(W).
  double rise(double weight, double s) const {
    if (!table_.empty()) {
      return table_[static_cast<std::size_t>(weight + s)] -
             table_[static_cast<std::size_t>(weight)];
    }
    double gammas = 0, shape = shape_;
    for (std::size_t i = 0; i < n_shapes_; ++i, shape -= rate_) {
      gammas += log_gamma::rise(shape + rate_ * weight, rate_ * s);
    }
    return -times_ * gammas + 0.5 * d_ * (std::log1p(s / (kappa_ + weight)) + s * log_two_pi);
  }

 private:
  /// The same for s = 1: each shape becomes the one before it, so all but two terms cancel.
  double rise_by_one(double weight) const {
    const double n_shapes = static_cast<double>(n_shapes_);
    const double lowest = shape_ - rate_ * (n_shapes - 1) + rate_ * weight;
    return -times_ * log_gamma::rise(lowest, rate_ * n_shapes) +
           0.5 * d_ * (std::log1p(1 / (kappa_ + weight)) + log_two_pi);
  }

  static constexpr double log_two_pi = 1.83787706640934548356;
  static constexpr double table_limit = 1 << 22;

  double d_;
  double kappa_;
  double shape_;
  std::size_t n_shapes_;
  double times_;
  double rate_;
  std::vector<double> table_;
};

/// Weights and posterior means of clusters. Slot 0 is the empty cluster; label c has slot c + 1.
class PosteriorMeans {
 public:
  PosteriorMeans(std::size_t dimensions, const GaussianParameters& prior)
      : d_(dimensions), kappa_(prior.kappa), first_(prior.mean, prior.mean + dimensions) {}

  void grow(std::size_t slots) {
    weight_.resize(slots, 0);
    mean_.reserve(slots * d_);
    while (mean_.size() < slots * d_) mean_.insert(mean_.end(), first_.begin(), first_.end());
  }

  double weight(std::size_t slot) const { return weight_[slot]; }
  const double* mean(std::size_t slot) const { return mean_.data() + slot * d_; }

  /// The factor of the squared distance to the posterior mean when weight s joins, or leaves.
  double join_factor(std::size_t slot, double s) const {
    const double kappa = kappa_ + weight_[slot];
    return 0.5 * s * kappa / (kappa + s);
  }
  double leave_factor(std::size_t slot, double s) const {
    const double kappa = kappa_ + weight_[slot];
    return 0.5 * s * kappa / (kappa - s);
  }

  void add(std::size_t slot, const double* x, double s) {
    weight_[slot] += s;
    shift(slot, x, s / (kappa_ + weight_[slot]));
  }

  void remove(std::size_t slot, const double* x, double s) {
    weight_[slot] -= s;
    shift(slot, x, -s / (kappa_ + weight_[slot]));
  }

  void clear(std::size_t slot) {
    weight_[slot] = 0;
    std::copy(first_.begin(), first_.end(), mean_.begin() + static_cast<std::ptrdiff_t>(slot * d_));
  }

 private:
  void shift(std::size_t slot, const double* x, double part) {
    double* m = mean_.data() + slot * d_;
    for (std::size_t j = 0; j < d_; ++j) m[j] += part * (x[j] - m[j]);
  }

  std::size_t d_;
  double kappa_;
  std::vector<double> first_;
  std::vector<double> weight_;
  std::vector<double> mean_;
};

}  // namespace powercut
