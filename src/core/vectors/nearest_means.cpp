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
/// Products that are worth another thread.
constexpr std::int64_t work_a_thread = 1 << 20;
/// More than the rounding of a distance.
constexpr double rounding_part = 1e-12;

class NearestMeans {
 public:
  NearestMeans(const PointsView& points, std::span<const double> means)
      : points_(points),
        d_(points.dimensions),
        k_(static_cast<Label>(means.size() / d_)),
        means_(means),
        screen_(d_, Growth::sum) {
    points_.weight = nullptr;
    screen_.place(means, std::vector<double>(k_, 1.0));
    for (Label c = 0; c < k_; ++c) screen_.set(c, {0, 1, 1, nullptr, mean(c)});
  }

  struct Scratch {
    std::vector<double> row;
    Screen::Tile tile;
  };

  void find(Node begin, Node end, const Nearest& nearest, std::span<double> squares,
            Scratch& scratch) const {
    Node looking[Screen::tile_length];
    std::size_t n_looking = 0;
    for (Node i = begin; i < end; ++i) {
      squares[i] = squared_distance(points_.row(i, scratch.row), mean(nearest.label[i]), d_);
      const bool is_sure = std::sqrt(squares[i]) * (1 + rounding_part) < nearest.beyond[i];
      if (!is_sure) looking[n_looking++] = i;
    }
    screen_.look(points_, {looking, n_looking}, scratch.tile);
    for (std::size_t row = 0; row < n_looking; ++row) {
      const Node i = looking[row];
      const std::span<float> bounds = screen_.bounds(scratch.tile, row);
      const double* x = points_.row(i, scratch.row);
      nearest.label[i] = nearest_of(bounds, x, squares[i]);
      bounds[nearest.label[i]] = std::numeric_limits<float>::infinity();
      const Label second = Screen::lowest(bounds, infinity);
      nearest.beyond[i] =
          second < 0 ? infinity : std::sqrt(std::max(0.0, square_of(bounds[second])));
    }
  }

 private:
  const double* mean(Label c) const { return &means_[c * d_]; }
  double square_of(float bound) const { return bound / screen_.in_units(1); }

  /// The nearest mean, which is no farther than `square`; puts its distance there.
  Label nearest_of(std::span<const float> bounds, const double* x, double& square) const {
    const auto square_to = [&](Label c) { return squared_distance(x, mean(c), d_); };
    // What seems to be the nearest limits what else is worth a look.
    const double limit = std::min(square, square_to(Screen::lowest(bounds, infinity)));
    Label best = 0;
    square = infinity;
    Screen::for_each_within(bounds, screen_.in_units(limit), [&](Label c) {
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
  Screen screen_;
};

}  // namespace

void nearest_means(const PointsView& points, std::span<const double> means, const Nearest& nearest,
                   std::span<double> squares, int n_threads, Cancel& cancel) {
  const NearestMeans all(points, means);
  const auto work = static_cast<std::int64_t>(means.size());
  Ticker ticker(cancel);
  Team team(
      static_cast<int>(std::clamp<std::int64_t>(points.n * work / work_a_thread, 1, n_threads)));
  std::vector<NearestMeans::Scratch> scratch(team.size());
  team.for_ranges(points.n, Screen::tile_length,
                  [&](int member, std::int64_t begin, std::int64_t end) {
                    all.find(static_cast<Node>(begin), static_cast<Node>(end), nearest, squares,
                             scratch[member]);
                    if (member == 0) ticker.tick((end - begin) * work);
                  });
}

}  // namespace powercut
