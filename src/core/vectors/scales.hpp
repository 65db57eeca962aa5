#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/log_product.hpp"
#include "vectors/points.hpp"
#include "vectors/symmetric.hpp"

namespace powercut {

/// The scale B of a Gaussian cluster, stored as `width` numbers: one variance per feature, or one
/// for all. Each point raises the shape by `rate`; the marginal likelihood has `times` Gamma
/// functions of each of the `shapes`; |t B| is t^degree |B|.
class VarianceScales {
 public:
  VarianceScales(std::size_t d, bool shared)
      : rate(shared ? 0.5 * static_cast<double>(d) : 0.5),
        times(shared ? 1 : static_cast<double>(d)),
        degree(times),
        least_shape(0.5),
        width(shared ? 1 : d),
        d_(d) {}

  std::vector<double> shapes(double shape) const { return {shape}; }

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

/// The same with a matrix.
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

  std::vector<double> shapes(double shape) const {
    std::vector<double> all(d_);
    for (std::size_t j = 0; j < d_; ++j) all[j] = shape - 0.5 * static_cast<double>(j);
    return all;
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
