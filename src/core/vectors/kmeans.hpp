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
///
/// A vector score is a class like this one: it keeps what it needs of each
/// cluster and says what J gains or loses, exactly, when a point joins or leaves,
/// the mean already where it is best afterwards. It may stop counting what a join
/// costs as soon as that is no less than `bound`, and say so by any number that is no less. It
/// may be asked by several threads at once. A group of points, with its squares kept as `squares`
/// says, is added as a point. The outline of a cluster is what it costs a point without scatter
/// at least. All that it knows of a cluster is in `state_width` numbers, which can be saved and
/// loaded elsewhere, to the last bit.
class KMeansClusters {
 public:
  static constexpr Squares squares = Squares::none;
  static constexpr Growth outlines = Growth::sum;

  explicit KMeansClusters(const PointsView& points)
      : d_(points.dimensions),
        heaviest_(points.weight == nullptr
                      ? 1
                      : *std::max_element(points.weight, points.weight + points.n)) {}

  void grow(std::size_t clusters) {
    mean_.resize(clusters * d_, 0);
    weight_.resize(clusters, 0);
  }

  /// What a point costs alone.
  double found(const Moving&) const { return 0; }

  double join(Label c, const Moving& point, double /*bound*/) const {
    const double w = point.weight;
    return w * weight_[c] / (weight_[c] + w) * squared_distance(point.x, mean(c), d_);
  }

  /// Never asked of the only point of a cluster, which takes back what it cost alone.
  double leave(Label c, const Moving& point) const {
    const double w = point.weight;
    return -w * weight_[c] / (weight_[c] - w) * squared_distance(point.x, mean(c), d_);
  }

  Outline outline(Label c) const {
    return {0, 1, weight_[c] / (weight_[c] + heaviest_), nullptr, mean(c)};
  }

  std::size_t state_width() const { return 1 + d_; }

  void save(Label c, double* state) const {
    *state = weight_[c];
    std::copy_n(mean(c), d_, state + 1);
  }

  void load(Label c, const double* state) {
    weight_[c] = *state;
    std::copy_n(state + 1, d_, mean_.begin() + static_cast<std::ptrdiff_t>(c * d_));
  }

  void add(Label c, const Moving& point) {
    weight_[c] += point.weight;
    shift(c, point.x, point.weight / weight_[c]);
  }

  void remove(Label c, const Moving& point) {
    weight_[c] -= point.weight;
    shift(c, point.x, -point.weight / weight_[c]);
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
  double heaviest_;
  std::vector<double> mean_;
  std::vector<double> weight_;
};

}  // namespace powercut
