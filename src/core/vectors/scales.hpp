#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/log_gamma.hpp"
#include "base/log_product.hpp"
#include "vectors/points.hpp"
#include "vectors/symmetric.hpp"

namespace powercut {

/// The scale B of a Gaussian cluster, stored as `width` numbers: one variance per feature, or one
/// for all. Each point raises the shape by `rate`; the marginal likelihood has Gamma functions of
/// the shape, to the power `times`; |t B| is t^degree |B|.
class VarianceScales {
 public:
  VarianceScales(std::size_t d, bool shared)
      : rate(shared ? 0.5 * static_cast<double>(d) : 0.5),
        times(shared ? 1 : static_cast<double>(d)),
        degree(times),
        least_shape(0.5),
        width(shared ? 1 : d),
        d_(d) {}

  /// The rise of the logarithms of the Gamma functions when the shape rises.
  double log_gamma_rise(double shape, double more) const { return log_gamma::rise(shape, more); }

  /// Adds factor times the squares of a vector.
  void add_squares(const double* away, double factor, double* sums) const {
    for (std::size_t j = 0; j < d_; ++j) sums[at(j)] += factor * away[j] * away[j];
  }

  double log_size(const double* scale) const {
    return log_product::sum_of_logs(width, [=](std::size_t j) { return scale[j]; });
  }

  void invert(const double* scale, double* inverse) const {
    for (std::size_t j = 0; j < width; ++j) inverse[j] = 1 / scale[j];
  }

  /// The squared length of a vector under a precision.
  double squared_length(const double* away, const double* precision) const {
    double sum = 0;
    for (std::size_t j = 0; j < d_; ++j) sum += away[j] * away[j] * precision[at(j)];
    return sum;
  }

  /// Adds factor times the product of a precision and a vector.
  void add_product(const double* precision, const double* x, double factor, double* sums) const {
    for (std::size_t j = 0; j < d_; ++j) sums[j] += factor * precision[at(j)] * x[j];
  }

  /// Replaces x by the vector whose product with the precision is x.
  void solve(const double* precision, double* x) const {
    for (std::size_t j = 0; j < d_; ++j) x[j] /= precision[at(j)];
  }

  void raise(double* scale, const double* floor) const {
    for (std::size_t j = 0; j < width; ++j) scale[j] = std::max(scale[j], floor[j]);
  }

  double rate;
  double times;
  double degree;
  double least_shape;
  std::size_t width;

 private:
  std::size_t at(std::size_t j) const { return width == d_ ? j : 0; }

  std::size_t d_;
};

/// The same with a matrix, and Gamma functions of shape, shape - 1/2, ..., shape - (d - 1)/2.
class MatrixScales {
 public:
  explicit MatrixScales(std::size_t d)
      : rate(0.5),
        times(1),
        degree(static_cast<double>(d)),
        least_shape(0.5 * degree),
        width(d * d),
        d_(d),
        root_(width) {}

  double log_gamma_rise(double shape, double more) const {
    double lowest = shape - 0.5 * static_cast<double>(d_ - 1), sum = 0;
    if (d_ % 2 == 1) {
      sum += log_gamma::rise(lowest, more);
      lowest += 0.5;
    }
    // Gamma(x) Gamma(x + 1/2) = Gamma(2 x) 2^(1 - 2 x) sqrt(pi).
    constexpr double log_two = 0.69314718055994530942;
    for (std::size_t pair = 0; pair < d_ / 2; ++pair, lowest += 1) {
      sum += log_gamma::rise(2 * lowest, 2 * more) - 2 * more * log_two;
    }
    return sum;
  }

  void add_squares(const double* away, double factor, double* sums) const {
    for (std::size_t j = 0; j < d_; ++j) {
      const double scaled = factor * away[j];
      for (std::size_t i = 0; i < d_; ++i) sums[j * d_ + i] += scaled * away[i];
    }
  }

  double log_size(const double* scale) const {
    return symmetric::factorise(scale, d_, root_.data());
  }

  void invert(const double* scale, double* inverse) const {
    symmetric::factorise(scale, d_, root_.data());
    symmetric::invert(root_.data(), d_, inverse);
  }

  double squared_length(const double* away, const double* precision) const {
    double sum = 0;
    for (std::size_t j = 0; j < d_; ++j) {
      double row = 0;
      for (std::size_t i = 0; i < d_; ++i) row += precision[j * d_ + i] * away[i];
      sum += away[j] * row;
    }
    return sum;
  }

  void add_product(const double* precision, const double* x, double factor, double* sums) const {
    for (std::size_t j = 0; j < d_; ++j) {
      const double scaled = factor * x[j];
      for (std::size_t i = 0; i < d_; ++i) sums[i] += scaled * precision[j * d_ + i];
    }
  }

  void solve(const double* precision, double* x) const {
    symmetric::factorise(precision, d_, root_.data());
    symmetric::solve_lower(root_.data(), d_, x);
    symmetric::solve_upper(root_.data(), d_, x);
  }

  void raise(double* scale, const double* floor) const { symmetric::raise(scale, floor, d_); }

  double rate;
  double times;
  double degree;
  double least_shape;
  std::size_t width;

 private:
  std::size_t d_;
  mutable std::vector<double> root_;  ///< scratch
};

}  // namespace powercut
