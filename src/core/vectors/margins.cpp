#include "vectors/margins.hpp"

#include <numeric>

#include "vectors/proposals.hpp"
#include "vectors/scores.hpp"

namespace powercut {
namespace {

template <class Score>
class VectorMargins : VectorWork<Score> {
 public:
  using VectorWork<Score>::VectorWork;

  void run(std::span<const Label> labels, std::span<double> margin) {
    this->refresh(labels);
    this->for_tiles(static_cast<std::int64_t>(labels.size()),
                    [&](int member, std::int64_t begin, std::int64_t end) {
                      Node points[Screen::tile_length];
                      std::iota(points, points + (end - begin), static_cast<Node>(begin));
                      this->screen(member, {points, static_cast<std::size_t>(end - begin)});
                      for (std::int64_t k = begin; k < end; ++k) {
                        margin[k] = margin_of(member, k - begin, points[k - begin], labels[k]);
                      }
                    });
  }

 private:
  double margin_of(int member, std::size_t row, Node i, Label own) {
    const Moving point = this->moving(i, member);
    const Count count = this->points_.count_of(i);
    const double others = this->best_other(member, row, point, count, own, this->infinity).cost;
    return this->clusters_.leaving(own, point, count).gain + others;
  }
};

}  // namespace

void gaussian_margins(const PointsView& points, std::span<const Label> labels, Label n_labels,
                      const PriorParameters& prior, const GaussianParameters& gaussian,
                      std::span<double> margin, int n_threads, Cancel& cancel) {
  with_covariance(gaussian.covariance, [&]<class Score>() {
    VectorMargins<Score>(points, n_labels, prior, n_threads, cancel, gaussian, cancel)
        .run(labels, margin);
  });
}

}  // namespace powercut
