#include "vector_moves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "gaussian_full.hpp"
#include "gaussian_scores.hpp"
#include "moves.hpp"
#include "random.hpp"
#include "team.hpp"
#include "vector_clusters.hpp"
#include "vector_scores.hpp"

namespace powercut {
namespace {

/// Clusters that cost this much more than what a point gains by leaving, as part of it, are not
/// told apart: the less a scan has to tell, the more it can skip; the more it tells, the longer
/// the next visits need no scan.
constexpr double margin_told = 0.25;

/// Features looked at that are worth another thread.
constexpr std::int64_t work_a_thread = 1 << 19;

/// Points, the clusters that labels make of them, and threads to look at both.
template <class Score>
class VectorWork {
 public:
  template <class... Parameters>
  VectorWork(const PointsView& points, std::span<const Label> labels, Label n_labels,
             const PriorParameters& prior, int n_threads, Cancel& cancel,
             Parameters&... parameters)
      : points_(points),
        ticker_(cancel),
        team_(threads(points, n_labels, n_threads)),
        clusters_(points, n_labels, prior, parameters...),
        scratch_(team_.size()) {
    refresh(labels);
  }

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
    const double limit = screen->in_units(std::min(cost, clusters_.join(first, point, count, cost)));
    Screen::for_each_within(bounds, limit, look_at);
    return best;
  }

  const PointsView& points_;
  Ticker ticker_;
  Team team_;
  VectorClusters<Score> clusters_;

 private:
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

template <class Score>
class VectorMover : VectorWork<Score> {
 public:
  template <class... Parameters>
  VectorMover(const PointsView& points, std::span<Label> labels, Label n_labels,
              const PriorParameters& prior, const VectorMoveOptions& options, Cancel& cancel,
              Parameters&... parameters)
      : VectorWork<Score>(points, labels, n_labels, prior, options.n_threads, cancel,
                          parameters...),
        labels_(labels),
        options_(options),
        cancel_(cancel),
        // So few at a time that hardly any two move to or from one small cluster.
        block_size_(std::clamp<std::size_t>(labels.size() / 1024, 1, 1024)),
        targets_(block_size_),
        others_(labels.size(), -infinity),
        seen_(labels.size(), 0) {}

  VectorMoveSummary run() {
    std::vector<Node> order(labels_.size());
    std::iota(order.begin(), order.end(), 0);
    Random(options_.seed).shuffle(order);
    const std::size_t n = order.size();
    const Count bound = max_visits * static_cast<Count>(n);
    const double least = options_.negligible * static_cast<double>(n);
    Count visits = 0, passes = 0, moves_before = 0;
    tell(passes);
    for (std::size_t at = 0, unmoved = 0; unmoved < n && visits < bound;) {
      const std::size_t length = std::min(block_size_, n - at);
      const bool moved = block({order.data() + at, length});
      unmoved = moved ? 0 : unmoved + length;
      visits += static_cast<Count>(length);
      at += length;
      if (at < n) continue;
      at = 0;
      tell(++passes);
      const Count moves = clusters_.moves() - moves_before;
      if (moves > 0) this->refresh(labels_);
      if (static_cast<double>(moves) < least) break;
      moves_before = clusters_.moves();
    }
    return {gain_, clusters_.moves(), clusters_.n_labels()};
  }

 private:
  /// Says where the work is, but for J: what it was before the moves is not known here.
  void tell(Count passes) const {
    const double j = std::numeric_limits<double>::quiet_NaN();
    cancel_.hear({points_.n, passes, clusters_.moves(), j});
  }

  using VectorWork<Score>::clusters_, VectorWork<Score>::points_, VectorWork<Score>::infinity;
  using Leaving = typename VectorClusters<Score>::Leaving;
  using Other = typename VectorWork<Score>::Other;

  /// Makes the best moves of a block of points; whether there were any.
  bool block(std::span<const Node> points) {
    this->for_tiles(static_cast<std::int64_t>(points.size()),
                    [&](int member, std::int64_t begin, std::int64_t end) {
                      propose(member, points.subspan(begin, end - begin), &targets_[begin]);
                    });
    const Count before = clusters_.moves();
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (targets_[k] != labels_[points[k]]) make(points[k], targets_[k]);
    }
    return clusters_.moves() > before;
  }

  /// Finds the labels that some points should move to; the own one of those that stay.
  void propose(int member, std::span<const Node> points, Label* targets) {
    Leaving leaving[Screen::tile_length];
    Node looking[Screen::tile_length];
    std::size_t n_looking = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Node i = points[k];
      leaving[k] = clusters_.leaving(labels_[i], this->moving(i, member), points_.count_of(i));
      if (!only_changed(i, leaving[k])) looking[n_looking++] = i;
    }
    this->screen(member, {looking, n_looking});
    std::size_t row = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Node i = points[k];
      const Moving point = this->moving(i, member);
      const Count count = points_.count_of(i);
      const Other other =
          only_changed(i, leaving[k])
              ? best_of_changed(i, point, count)
              : this->best_other(
                    member, row++, point, count, labels_[i],
                    -leaving[k].gain + margin_told * std::abs(leaving[k].gain));
      others_[i] = other.cost;
      seen_[i] = clusters_.moves();
      targets[k] = target(leaving[k], other, labels_[i], count);
    }
  }

  /// Whether none of the clusters that have not changed since the last visit is worth a move:
  /// none of them costs less than others_[i].
  bool only_changed(Node i, const Leaving& leaving) const {
    return leaving.gain + others_[i] >= -leaving.noise;
  }

  Other best_of_changed(Node i, const Moving& point, Count count) const {
    Other best{labels_[i], others_[i]};
    for (Label c = 0; c < clusters_.n_labels(); ++c) {
      if (clusters_.changed(c) <= seen_[i] || c == labels_[i] || clusters_.is_empty(c)) continue;
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

  /// Moves a point if that lowers J with all moves before it made.
  void make(Node i, Label target) {
    if (target != new_cluster && clusters_.is_empty(target)) return;
    const Moving point = this->moving(i, 0);
    const Count count = points_.count_of(i);
    const Leaving leaving = clusters_.leaving(labels_[i], point, count);
    if (target == new_cluster && leaving.alone) return;
    const double cost = target == new_cluster ? clusters_.found(leaving, count)
                                              : clusters_.join(target, point, count, infinity);
    const double delta = leaving.gain + cost;
    if (!(delta < -leaving.noise)) return;
    if (target == new_cluster) target = clusters_.open();
    clusters_.move(labels_[i], target, point, count);
    labels_[i] = target;
    others_[i] = -infinity;  // the cluster it left is one of the others now
    gain_ += delta;
  }

  std::span<Label> labels_;
  const VectorMoveOptions& options_;
  Cancel& cancel_;
  std::size_t block_size_;
  std::vector<Label> targets_;
  std::vector<double> others_;  ///< least cost of another cluster at the last visit, or less
  std::vector<Count> seen_;     ///< how many moves had been made then
  double gain_ = 0;
};

template <class Score>
class VectorMargins : VectorWork<Score> {
 public:
  using VectorWork<Score>::VectorWork;

  void run(std::span<const Label> labels, std::span<double> margin) {
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

/// Calls run.operator()<Score>() for the score of a covariance.
template <class Run>
auto with_covariance(Covariance covariance, const Run& run) {
  if (covariance == Covariance::diagonal) return run.template operator()<DiagonalClusters>();
  if (covariance == Covariance::spherical) return run.template operator()<SphericalClusters>();
  return run.template operator()<FullClusters>();
}

}  // namespace

VectorMoveSummary kmeans_moves(const PointsView& points, std::span<Label> labels, Label n_labels,
                               const PriorParameters& prior, const VectorMoveOptions& options,
                               Cancel& cancel) {
  return VectorMover<KMeansClusters>(points, labels, n_labels, prior, options, cancel).run();
}

VectorMoveSummary gaussian_moves(const PointsView& points, std::span<Label> labels, Label n_labels,
                                 const PriorParameters& prior, const GaussianParameters& gaussian,
                                 const VectorMoveOptions& options, Cancel& cancel) {
  return with_covariance(gaussian.covariance, [&]<class Score>() {
    return VectorMover<Score>(points, labels, n_labels, prior, options, cancel, gaussian, cancel)
        .run();
  });
}

void gaussian_margins(const PointsView& points, std::span<const Label> labels, Label n_labels,
                      const PriorParameters& prior, const GaussianParameters& gaussian,
                      std::span<double> margin, int n_threads, Cancel& cancel) {
  with_covariance(gaussian.covariance, [&]<class Score>() {
    VectorMargins<Score>(points, labels, n_labels, prior, n_threads, cancel, gaussian, cancel)
        .run(labels, margin);
  });
}

}  // namespace powercut
