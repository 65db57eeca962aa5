#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "cancel.hpp"
#include "log_gamma.hpp"
#include "log_product.hpp"
#include "point_groups.hpp"
#include "points.hpp"
#include "screen.hpp"
#include "types.hpp"

namespace powercut {

enum class Covariance { diagonal, spherical, full };

/// What is expected of a cluster before it has points: a mean near `mean`, as if `kappa` points
/// had been seen there, and a variance near scale / shape, as if 2 * shape had.
struct GaussianParameters {
  Covariance covariance;
  const double* mean;   ///< d numbers
  double kappa;
  double shape;
  const double* scale;  ///< d numbers, one, or a d x d matrix, by the covariance
};

/// The part of -ln marginal likelihood that only the weight W of a cluster tells:
///
///     T(W) = - sum_i [lnGamma(shape_i + rate W) - lnGamma(shape_i)]
///            + d/2 ln(1 + W / kappa) + d W / 2 ln(2 pi)
///
/// Whole weights, such as those of groups of unweighted points, are read from a table. Its rounding
/// does no harm: differences of the same numbers add up to nothing on the way there and back.
class WeightTerm {
 public:
  /// `shapes` and how many `times` each counts.
  WeightTerm(const PointsView& points, double kappa, std::vector<double> shapes, double times,
             double rate, Cancel& cancel)
      : d_(static_cast<double>(points.dimensions)),
        kappa_(kappa),
        shapes_(std::move(shapes)),
        times_(times),
        rate_(rate) {
    double total = 0;
    for (Node i = 0; i < points.n; ++i) {
      const double w = points.weight_of(i);
      if (w != std::floor(w)) return;
      total += w;
    }
    if (total >= table_limit) return;
    // With one more, for a point that would join all others and itself.
    std::vector<double> table(static_cast<std::size_t>(total) + 2);
    Ticker ticker(cancel);
    for (std::size_t w = 0; w < table.size(); ++w) {
      table[w] = rise(0, static_cast<double>(w));
      ticker.tick(16 * static_cast<std::int64_t>(shapes_.size()));
    }
    table_ = std::move(table);
  }

  /// T(W + s) - T(W).
  double rise(double weight, double s) const {
    if (!table_.empty()) {
      return table_[static_cast<std::size_t>(weight + s)] - table_[static_cast<std::size_t>(weight)];
    }
    double gammas = 0;
    for (const double shape : shapes_) gammas += log_gamma::rise(shape + rate_ * weight, rate_ * s);
    return -times_ * gammas + 0.5 * d_ * (std::log1p(s / (kappa_ + weight)) + s * log_two_pi);
  }

 private:
  static constexpr double log_two_pi = 1.83787706640934548356;
  static constexpr double table_limit = 1 << 22;

  double d_;
  double kappa_;
  std::vector<double> shapes_;
  double times_;
  double rate_;
  std::vector<double> table_;
};

/// Weights and posterior means of clusters; slot 0 is the cluster without points, label c has
/// slot c + 1.
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

  /// What the squared distance to the posterior mean counts when s joins, and when it leaves.
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

  std::size_t state_width() const { return 1 + d_; }

  void save(std::size_t slot, double* state) const {
    *state = weight_[slot];
    std::copy_n(mean(slot), d_, state + 1);
  }

  void load(std::size_t slot, const double* state) {
    weight_[slot] = *state;
    std::copy_n(state + 1, d_, mean_.begin() + static_cast<std::ptrdiff_t>(slot * d_));
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

/// Clusters whose features vary independently, each with a variance of its own:
///
///     f = sum_j [a_n ln b_j - a ln b0_j] + T(W),    a_n = a + W / 2
///     b_j = b0_j + half the scatter around the posterior mean and of that mean around the first
///
/// When s points with scatter S join at x, b_j grows by S_j / 2 + kappa_n s / (2 (kappa_n + s))
/// (x_j - m_j)^2. Logarithms are taken of products over features; since every factor of a join is
/// at least 1, what it costs is never less than what is counted so far.
class DiagonalClusters {
 public:
  static constexpr Squares squares = Squares::features;
  static constexpr Growth outlines = Growth::sum_of_logs;

  DiagonalClusters(const PointsView& points, const GaussianParameters& prior, Cancel& cancel)
      : d_(points.dimensions),
        shape_(prior.shape),
        first_(prior.scale, prior.scale + points.dimensions),
        nothing_(d_, 0.0),
        means_(d_, prior),
        term_(points, prior.kappa, {prior.shape}, static_cast<double>(points.dimensions), 0.5,
              cancel) {
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

  double found(const Moving& point) const { return cost(0, point, infinity); }
  double join(Label c, const Moving& point, double bound) const { return cost(slot(c), point, bound); }

  double leave(Label c, const Moving& point) const {
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

  Outline outline(Label c) const {
    const std::size_t at = slot(c);
    return {term_.rise(means_.weight(at), 1) + 0.5 * log_scale_[at],
            shape_ + 0.5 * (means_.weight(at) + 1), means_.join_factor(at, 1), &inverse_[at * d_],
            means_.mean(at)};
  }

  std::size_t state_width() const { return means_.state_width() + d_; }

  void save(Label c, double* state) const {
    means_.save(slot(c), state);
    std::copy_n(&scale_[slot(c) * d_], d_, state + means_.state_width());
  }

  void load(Label c, const double* state) {
    const std::size_t at = slot(c);
    means_.load(at, state);
    for (std::size_t j = 0; j < d_; ++j) set_scale(at * d_ + j, state[means_.state_width() + j]);
    log_scale_[at] = sum_of_logs(&scale_[at * d_]);
  }

  void add(Label c, const Moving& point) {
    const std::size_t at = slot(c);
    widen(at, point, means_.join_factor(at, point.weight), 1);
    means_.add(at, point.x, point.weight);
  }

  void remove(Label c, const Moving& point) {
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

  double cost(std::size_t at, const Moving& point, double bound) const {
    const double s = point.weight, weight = means_.weight(at);
    const double least = term_.rise(weight, s) + 0.5 * s * log_scale_[at];
    if (least >= bound) return infinity;
    const double shape = shape_ + 0.5 * (weight + s), factor = means_.join_factor(at, s);
    const double *x = point.x, *mean = means_.mean(at), *inverse = &inverse_[at * d_];
    const double* scatter = point.scatter;
    const double log_bound = (bound - least) / shape;
    if (scatter == nullptr) {
      return least + shape * log_growth(log_bound, [=](std::size_t j) POWERCUT_INLINE {
               const double away = x[j] - mean[j];
               return factor * away * away * inverse[j];
             });
    }
    return least + shape * log_growth(log_bound, [=](std::size_t j) POWERCUT_INLINE {
             const double away = x[j] - mean[j];
             return (factor * away * away + 0.5 * scatter[j]) * inverse[j];
           });
  }

  /// The sum of ln(1 + growth(j)) over the features; infinite as soon as it passes `bound`.
  template <class Growth>
  POWERCUT_INLINE double log_growth(double bound, const Growth& growth) const {
    double logs = 0, product = 1;
    for (std::size_t first = 0; first < d_; first += log_product::chunk) {
      const std::size_t length = std::min(log_product::chunk, d_ - first);
      const double more = log_product::of_chunk(
          length, [&](std::size_t j) POWERCUT_INLINE { return 1 + growth(first + j); });
      if (more < log_product::largest && product < log_product::largest) {
        product *= more;
      } else {
        logs += std::log(product);
        product = 1;
        for (std::size_t j = 0; j < length; ++j) logs += std::log1p(growth(first + j));
      }
      if (log_product::surely_passes(product, bound - logs)) return infinity;
    }
    return logs + std::log(product);
  }

  void widen(std::size_t at, const Moving& point, double factor, double sign) {
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

/// Clusters that are round: one variance for all features.
///
///     f = a_n ln b - a ln b0 + T(W),    a_n = a + d W / 2,    b as above, summed over the features
class SphericalClusters {
 public:
  static constexpr Squares squares = Squares::total;
  static constexpr Growth outlines = Growth::log_of_sum;

  SphericalClusters(const PointsView& points, const GaussianParameters& prior, Cancel& cancel)
      : d_(points.dimensions),
        rate_(0.5 * static_cast<double>(points.dimensions)),
        shape_(prior.shape),
        first_(*prior.scale),
        means_(d_, prior),
        term_(points, prior.kappa, {prior.shape}, 1, rate_, cancel) {
    grow(0);
  }

  void grow(std::size_t clusters) {
    means_.grow(clusters + 1);
    scale_.resize(clusters + 1, first_);
    log_scale_.resize(clusters + 1, std::log(first_));
  }

  double found(const Moving& point) const {
    return cost(0, point, std::numeric_limits<double>::infinity());
  }
  double join(Label c, const Moving& point, double bound) const { return cost(slot(c), point, bound); }

  double leave(Label c, const Moving& point) const {
    const std::size_t at = slot(c);
    const double s = point.weight, rest = means_.weight(at) - s;
    const double less = change(at, point, means_.leave_factor(at, s));
    const double left = std::max(1 - less / scale_[at], first_ / scale_[at]);
    return (shape_ + rate_ * rest) * std::log(left) - rate_ * s * log_scale_[at] -
           term_.rise(rest, s);
  }

  Outline outline(Label c) const {
    const std::size_t at = slot(c);
    return {term_.rise(means_.weight(at), 1) + rate_ * log_scale_[at],
            shape_ + rate_ * (means_.weight(at) + 1), means_.join_factor(at, 1) / scale_[at],
            nullptr, means_.mean(at)};
  }

  std::size_t state_width() const { return means_.state_width() + 1; }

  void save(Label c, double* state) const {
    means_.save(slot(c), state);
    state[means_.state_width()] = scale_[slot(c)];
  }

  void load(Label c, const double* state) {
    means_.load(slot(c), state);
    set_scale(slot(c), state[means_.state_width()]);
  }

  void add(Label c, const Moving& point) {
    const std::size_t at = slot(c);
    set_scale(at, scale_[at] + change(at, point, means_.join_factor(at, point.weight)));
    means_.add(at, point.x, point.weight);
  }

  void remove(Label c, const Moving& point) {
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

  double cost(std::size_t at, const Moving& point, double bound) const {
    const double s = point.weight, weight = means_.weight(at);
    const double least = term_.rise(weight, s) + rate_ * s * log_scale_[at];
    if (least >= bound) return least;
    const double more = change(at, point, means_.join_factor(at, s));
    return least + (shape_ + rate_ * (weight + s)) * std::log1p(more / scale_[at]);
  }

  double change(std::size_t at, const Moving& point, double factor) const {
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
