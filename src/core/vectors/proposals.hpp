#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "prior/increments.hpp"
#include "search/moves.hpp"
#include "vectors/bounds.hpp"
#include "vectors/groups.hpp"
#include "vectors/move_costs.hpp"
#include "vectors/points.hpp"
#include "vectors/visits.hpp"

namespace powercut {

/// Points, clusters of them, and threads to look at both.
template <class Score>
class VectorWork {
 public:
  template <class... Parameters>
  VectorWork(const PointsView& points, Label n_labels, const PriorParameters& prior, int n_threads,
             Cancel& cancel, Parameters&... parameters)
      : points_(points),
        ticker_(cancel),
        team_(threads(points, n_labels, n_threads)),
        clusters_(points, n_labels, prior, parameters...),
        scratch_(team_.size()) {}

 protected:
  static constexpr double infinity = VectorClusters<Score>::infinity;

  /// A cluster other than a point's own, and what it costs to join it.
  struct Other {
    Label label;
    double cost;
  };

  Moving moving(Node i, int member) {
    return {points_.row(i, scratch_[member].row), points_.weight_of(i), points_.scatter_of(i)};
  }

  /// Sums all clusters anew: what was added and taken away again leaves rounding behind.
  void refresh(std::span<const Label> labels) {
    clusters_.set(
        point_groups(points_, labels, clusters_.n_labels(), Score::squares, team_, ticker_));
  }

  /// Calls body(member, begin, end) for ranges of [0, n), all of them points that look at all
  /// clusters, a few at a time.
  template <class Body>
  void for_tiles(std::int64_t n, const Body& body) {
    const std::int64_t each = (n + team_.size() - 1) / team_.size();
    const std::int64_t length = std::min<std::int64_t>(each, Screen::tile_length);
    team_.for_ranges(n, std::max<std::int64_t>(1, length),
                     [&](int member, std::int64_t begin, std::int64_t end) {
                       body(member, begin, end);
                       if (member == 0) ticker_.tick((end - begin) * work_of_a_look());
                     });
  }

  /// Bounds what all clusters cost some points, for `best_other`.
  void screen(int member, std::span<const Node> points) {
    if (const Screen* screen = clusters_.screen()) {
      screen->look(points_, points, scratch_[member].tile);
    }
  }

  /// The best of the clusters that cost less than `cost`; the own one, and that cost, if none
  /// does. The point is number `row` of those that were screened.
  Other best_other(int member, std::size_t row, const Moving& point, Count count, Label own,
                   double cost) {
    Other best{own, cost};
    const auto look_at = [&](Label c) {
      const double joining = clusters_.join(c, point, count, best.cost);
      if (joining < best.cost) best = {c, joining};
    };
    const Screen* screen = clusters_.screen();
    if (screen == nullptr) {
      for (Label c = 0; c < clusters_.n_labels(); ++c) {
        if (c != own && !clusters_.is_empty(c)) look_at(c);
      }
      return best;
    }
    const std::span<float> bounds = screen->bounds(scratch_[member].tile, row);
    bounds[own] = std::numeric_limits<float>::infinity();
    const Label first = Screen::lowest(bounds, screen->in_units(cost));
    if (first < 0) return best;
    // What seems to be the best limits what else is worth a look.
    const double limit =
        screen->in_units(std::min(cost, clusters_.join(first, point, count, cost)));
    Screen::for_each_within(bounds, limit, look_at);
    return best;
  }

  /// Finds the best labels of a few points.
  void propose(int member, const Visits& visits) {
    Leaving leaving[Screen::tile_length];
    Node looking[Screen::tile_length];
    std::size_t n_looking = 0;
    for (std::size_t k = 0; k < visits.points.size(); ++k) {
      const Node i = visits.points[k];
      leaving[k] = clusters_.leaving(visits.labels[k], moving(i, member), points_.count_of(i));
      if (!only_changed(leaving[k], visits.others[k])) looking[n_looking++] = i;
    }
    screen(member, {looking, n_looking});
    std::size_t row = 0;
    for (std::size_t k = 0; k < visits.points.size(); ++k) {
      const Node i = visits.points[k];
      const Label own = visits.labels[k];
      const Moving point = moving(i, member);
      const Count count = points_.count_of(i);
      const Other other =
          only_changed(leaving[k], visits.others[k])
              ? best_of_changed(point, count, own, visits.seen[k], visits.others[k])
              : best_other(member, row++, point, count, own,
                           -leaving[k].gain + margin_told * std::abs(leaving[k].gain));
      visits.others[k] = other.cost;
      visits.targets[k] = target(leaving[k], other, own, count);
    }
  }

  const PointsView& points_;
  Ticker ticker_;
  Team team_;
  VectorClusters<Score> clusters_;

 private:
  using Leaving = typename VectorClusters<Score>::Leaving;

  /// Clusters that cost this much more than what a point gains by leaving, as part of it, are not
  /// told apart: the less a scan has to tell, the more it can skip; the more it tells, the longer
  /// the next visits need no scan.
  static constexpr double margin_told = 0.25;

  /// Features looked at that are worth another thread.
  static constexpr std::int64_t work_a_thread = 1 << 19;

  /// Whether none of the clusters that have not changed since the last visit is worth a move:
  /// none of them costs less than `others`.
  static bool only_changed(const Leaving& leaving, double others) {
    return leaving.gain + others >= -leaving.noise;
  }

  Other best_of_changed(const Moving& point, Count count, Label own, Count seen,
                        double others) const {
    Other best{own, others};
    for (Label c = 0; c < clusters_.n_labels(); ++c) {
      if (clusters_.changed(c) <= seen || c == own || clusters_.is_empty(c)) continue;
      const double cost = clusters_.join(c, point, count, best.cost);
      if (cost < best.cost) best = {c, cost};
    }
    return best;
  }

  Label target(const Leaving& leaving, const Other& other, Label own, Count count) const {
    const bool gains = leaving.gain + other.cost < -leaving.noise;
    const double best = gains ? leaving.gain + other.cost : -leaving.noise;
    const bool founds = !leaving.alone && leaving.gain + clusters_.found(leaving, count) < best;
    return founds ? new_cluster : gains ? other.label : own;
  }

  struct Scratch {
    std::vector<double> row;
    Screen::Tile tile;
  };

  /// Most clusters are told from few of their features.
  std::int64_t work_of_a_look() const { return 1 + 8 * std::int64_t{clusters_.n_labels()}; }

  static int threads(const PointsView& points, Label n_labels, int most) {
    const std::int64_t work = static_cast<std::int64_t>(points.n) * 8 * (1 + n_labels);
    return static_cast<int>(std::clamp<std::int64_t>(work / work_a_thread, 1, most));
  }

  std::vector<Scratch> scratch_;
};

}  // namespace powercut
