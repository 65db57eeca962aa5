#include "vectors/lloyd.hpp"

#include <cstddef>
#include <cstdint>

#include "search/lloyd_passes.hpp"

namespace powercut {
namespace {

class PointSpace {
 public:
  PointSpace(const PointsView& points, CancellationToken& token)
      : points_(points), d_(points.dimensions), ticker_(token) {}

  double update_means(std::span<const Label> labels, Label n_labels) {
    mean_.assign(n_labels * d_, 0);
    std::vector<double> weight(n_labels, 0);
    for (Node i = 0; i < points_.n; ++i) {
      const double* x = points_.row(i, buffer_);
      const double w = points_.weight_of(i);
      double* m = mean_.data() + labels[i] * d_;
      weight[labels[i]] += w;
      for (std::size_t j = 0; j < d_; ++j) m[j] += w * (x[j] - m[j]) / weight[labels[i]];
    }
    double within = 0;
    for (Node i = 0; i < points_.n; ++i) {
      const double* x = points_.row(i, buffer_);
      within += points_.weight_of(i) * squared_distance(x, mean_.data() + labels[i] * d_, d_);
      ticker_.tick(2 * points_.dimensions);
    }
    return within;
  }

  bool can_move(Node) const { return true; }
  void set_point(Node i) { x_ = points_.row(i, buffer_); }
  double distance(Node i, Label c) const {
    return points_.weight_of(i) * squared_distance(x_, mean_.data() + c * d_, d_);
  }
  template <class Consider>
  void for_candidates(Node, const LiveSizes& sizes, double, const double&, Consider&& consider) {
    const Label n_labels = sizes.n_labels();
    for (Label c = 0; c < n_labels; ++c) consider(c);
    ticker_.tick(static_cast<std::int64_t>(n_labels) * points_.dimensions);
  }
  void open_cluster(Node) { mean_.insert(mean_.end(), x_, x_ + d_); }

 private:
  const PointsView& points_;
  std::size_t d_;
  Ticker ticker_;
  std::vector<double> mean_;
  std::vector<double> buffer_;
  const double* x_ = nullptr;
};

}  // namespace

std::vector<double> lloyd_points(const PointsView& points, std::span<Label> labels, Label n_labels,
                                 const PriorParameters& prior, int max_passes,
                                 CancellationToken& token) {
  PointSpace space(points, token);
  return lloyd_passes(space, labels, n_labels, prior, max_passes, token);
}

}  // namespace powercut
