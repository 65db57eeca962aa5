#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "points.hpp"
#include "types.hpp"

namespace powercut {

/// The clusters of the `kmeans` score: the weighted sum of squares within each.
///
/// A vector score is a class like this one: it keeps what it needs of each
/// cluster and says what J gains or loses, exactly, when a point joins or leaves,
/// the mean already where it is best afterwards.
class KMeansClusters {
 public:
  explicit KMeansClusters(std::size_t dimensions) : d_(dimensions) {}

  void grow(std::size_t clusters) {
    mean_.resize(clusters * d_, 0);
    weight_.resize(clusters, 0);
  }

  double join(Label c, const double* x, double w) const {
    return w * weight_[c] / (weight_[c] + w) * squared_distance(x, mean(c), d_);
  }

  /// Never asked of the only point of a cluster, which leaves nothing behind and loses nothing.
  double leave(Label c, const double* x, double w) const {
    return -w * weight_[c] / (weight_[c] - w) * squared_distance(x, mean(c), d_);
  }

  void add(Label c, const double* x, double w) {
    weight_[c] += w;
    shift(c, x, w / weight_[c]);
  }

  void remove(Label c, const double* x, double w) {
    weight_[c] -= w;
    shift(c, x, -w / weight_[c]);
  }

  void clear(Label c) {
    weight_[c] = 0;
    std::fill_n(mean_.begin() + static_cast<std::ptrdiff_t>(c * d_), d_, 0.0);
  }

 private:
  const double* mean(Label c) const { return mean_.data() + c * d_; }

  void shift(Label c, const double* x, double part) {
    double* m = mean_.data() + c * d_;
    for (std::size_t j = 0; j < d_; ++j) m[j] += part * (x[j] - m[j]);
  }

  std::size_t d_;
  std::vector<double> mean_;
  std::vector<double> weight_;
};

}  // namespace powercut
