#include "vectors/nearest_means.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/threads.hpp"
#include "vectors/bounds.hpp"

namespace powercut {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// The least number of products for which another thread pays off.
constexpr std::int64_t work_per_thread = 1 << 20;
/// An upper bound of the relative rounding error of a distance.
constexpr double rounding_part = 1e-12;

class NearestMeans {
 public:
  NearestMeans(const PointsView& points, std::span<const double> means)
      : points_(points),
        d_(points.dimensions),
        k_(static_cast<Label>(means.size() / d_)),
        means_(means),
        bounds_(d_, Growth::sum) {
    points_.weight = nullptr;
    bounds_.reset(means, std::vector<double>(k_, 1.0));
    for (Label c = 0; c < k_; ++c) bounds_.set(c, {0, 1, 1, nullptr, mean(c)});
  }

  struct Scratch {
    std::vector<double> row;
    CostBounds::Tile tile;
  };

  void find(Node begin, Node end, const Nearest& nearest, std::span<double> squares,
            Scratch& scratch) const {
    Node scanned[CostBounds::tile_length];
    std::size_t n_scanned = 0;
    for (Node i = begin; i < end; ++i) {
      squares[i] = squared_distance(points_.row(i, scratch.row), mean(nearest.label[i]), d_);
      const bool is_certain = std::sqrt(squares[i]) * (1 + rounding_part) < nearest.beyond[i];
      if (!is_certain) scanned[n_scanned++] = i;
    }
    bounds_.evaluate(points_, {scanned, n_scanned}, scratch.tile);
    for (std::size_t row = 0; row < n_scanned; ++row) {
      const Node i = scanned[row];
      const std::span<float> bounds = bounds_.row_bounds(scratch.tile, row);
      const double* x = points_.row(i, scratch.row);
      nearest.label[i] = nearest_of(bounds, x, squares[i]);
      bounds[nearest.label[i]] = std::numeric_limits<float>::infinity();
      const Label second = CostBounds::lowest(bounds, infinity);
      nearest.beyond[i] =
          second < 0 ? infinity : std::sqrt(std::max(0.0, square_of(bounds[second])));
    }
  }

 private:
  const double* mean(Label c) const { return &means_[c * d_]; }
  double square_of(float bound) const { return bound / bounds_.in_units(1); }

  /// The nearest mean, which is at most `square` away; writes its squared distance to `square`.
  Label nearest_of(std::span<const float> bounds, const double* x, double& square) const {
    const auto square_to = [&](Label c) { return squared_distance(x, mean(c), d_); };
    // The mean with the lowest bound limits which others must be evaluated.
    const double limit = std::min(square, square_to(CostBounds::lowest(bounds, infinity)));
    Label best = 0;
    square = infinity;
    CostBounds::for_each_within(bounds, bounds_.in_units(limit), [&](Label c) {
      const double other = square_to(c);
      if (other >= square) return;
      square = other;
      best = c;
    });
    return best;
  }

  PointsView points_;
  std::size_t d_;
  Label k_;
  std::span<const double> means_;
  CostBounds bounds_;
};

}  // namespace

void nearest_means(const PointsView& points, std::span<const double> means, const Nearest& nearest,
                   std::span<double> squares, int n_threads, CancellationToken& token) {
  const NearestMeans all(points, means);
  const auto work = static_cast<std::int64_t>(means.size());
  Ticker ticker(token);
  ThreadTeam team(
      static_cast<int>(std::clamp<std::int64_t>(points.n * work / work_per_thread, 1, n_threads)));
  std::vector<NearestMeans::Scratch> scratch(team.size());
  team.for_ranges(points.n, CostBounds::tile_length,
                  [&](int thread, std::int64_t begin, std::int64_t end) {
                    all.find(static_cast<Node>(begin), static_cast<Node>(end), nearest, squares,
                             scratch[thread]);
                    if (thread == 0) ticker.tick((end - begin) * work);
                  });
}

}  // namespace powercut
