#include "vectors/margins.hpp"

#include <numeric>

#include "vectors/proposals.hpp"
#include "vectors/scores.hpp"

namespace powercut {
namespace {

template <class Score>
class VectorMargins : VectorProposer<Score> {
 public:
  using VectorProposer<Score>::VectorProposer;

  void run(std::span<const Label> labels, std::span<double> margin) {
    this->refresh(labels);
    this->for_tiles(static_cast<std::int64_t>(labels.size()), [&](int thread, std::int64_t begin,
                                                                  std::int64_t end) {
      Node points[CostBounds::tile_length];
      std::iota(points, points + (end - begin), static_cast<Node>(begin));
      this->evaluate_bounds(thread, {points, static_cast<std::size_t>(end - begin)});
      for (std::int64_t k = begin; k < end; ++k) {
        margin[k] = margin_of(thread, k - begin, points[k - begin], labels[k]);
      }
    });
  }

 private:
  double margin_of(int thread, std::size_t row, Node i, Label own) {
    const WeightedPoint point = this->point_at(i, thread);
    const double others = this->best_other(thread, row, i, point, own, this->infinity).cost;
    return this->clusters_.leaving(own, point, this->points_.count_of(i)).gain + others;
  }
};

}  // namespace

void gaussian_margins(const PointsView& points, std::span<const Label> labels, Label n_labels,
                      const PriorParameters& prior, const GaussianParameters& gaussian,
                      std::span<double> margin, int n_threads, CancellationToken& token) {
  with_covariance(gaussian.covariance, [&]<class Score>() {
    VectorMargins<Score>(points, n_labels, prior, {{}, labels, n_labels}, n_threads, token,
                         gaussian, token)
        .run(labels, margin);
  });
}

}  // namespace powercut
