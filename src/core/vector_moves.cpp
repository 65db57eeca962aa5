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

/// Features looked at that are worth handing to another thread.
constexpr std::int64_t work_a_range = 1 << 13;

/// Points, the clusters that labels make of them, and threads to look at both.
template <class Score>
class VectorWork {
 public:
  template <class... Parameters>
  VectorWork(const PointsView& points, std::span<const Label> labels, Label n_labels,
             const PriorParameters& prior, int n_threads, Cancel& cancel,
             const Parameters&... parameters)
      : points_(points),
        ticker_(cancel),
        team_(threads(points, n_labels, n_threads)),
        clusters_(points, n_labels, prior, parameters...),
        buffers_(team_.size()) {
    refresh(labels);
  }

 protected:
  Moving moving(Node i, int member) {
    return {points_.row(i, buffers_[member]), points_.weight_of(i), points_.scatter_of(i)};
  }

  /// Sums all clusters anew: what was added and taken away again leaves rounding behind.
  void refresh(std::span<const Label> labels) {
    clusters_.set(
        point_groups(points_, labels, clusters_.n_labels(), Score::squares, team_, ticker_));
  }

  /// Calls body(member, k) for each k below n, all of them points that look at all clusters.
  template <class Body>
  void for_each(std::int64_t n, const Body& body) {
    // Most clusters are told from their first few features.
    const std::int64_t work = 1 + 8 * static_cast<std::int64_t>(clusters_.n_labels());
    team_.for_ranges(n, std::max<std::int64_t>(1, work_a_range / work),
                     [&](int member, std::int64_t begin, std::int64_t end) {
                       for (std::int64_t k = begin; k < end; ++k) {
                         body(member, k);
                         if (member == 0) ticker_.tick(work);
                       }
                     });
  }

  const PointsView& points_;
  Ticker ticker_;
  Team team_;
  VectorClusters<Score> clusters_;
  std::vector<std::vector<double>> buffers_;

 private:
  static int threads(const PointsView& points, Label n_labels, int most) {
    const std::int64_t work = static_cast<std::int64_t>(points.n) * 8 * (1 + n_labels);
    return static_cast<int>(std::clamp<std::int64_t>(work / (64 * work_a_range), 1, most));
  }
};

template <class Score>
class VectorMover : VectorWork<Score> {
 public:
  template <class... Parameters>
  VectorMover(const PointsView& points, std::span<Label> labels, Label n_labels,
              const PriorParameters& prior, const VectorMoveOptions& options, Cancel& cancel,
              const Parameters&... parameters)
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

  using VectorWork<Score>::clusters_, VectorWork<Score>::points_;
  using Leaving = typename VectorClusters<Score>::Leaving;
  static constexpr double infinity = VectorClusters<Score>::infinity;

  /// Makes the best moves of a block of points; whether there were any.
  bool block(std::span<const Node> points) {
    this->for_each(static_cast<std::int64_t>(points.size()), [&](int member, std::int64_t k) {
      targets_[k] = propose(points[k], this->moving(points[k], member));
    });
    const Count before = clusters_.moves();
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (targets_[k] != labels_[points[k]]) make(points[k], targets_[k]);
    }
    return clusters_.moves() > before;
  }

  /// The label that a point should move to; its own: it stays.
  Label propose(Node i, const Moving& point) {
    const Count count = points_.count_of(i);
    const Label own = labels_[i];
    const Leaving leaving = clusters_.leaving(own, point, count);
    // No cluster that has not changed since the last visit costs less than others_[i].
    const bool only_changed = leaving.gain + others_[i] >= -leaving.noise;
    double others =
        only_changed ? others_[i] : -leaving.gain + margin_told * std::abs(leaving.gain);
    Label target = own;
    for (Label c = 0; c < clusters_.n_labels(); ++c) {
      if (only_changed && clusters_.changed(c) <= seen_[i]) continue;
      if (c == own || clusters_.is_empty(c)) continue;
      const double cost = clusters_.join(c, point, count, others);
      if (cost < others) {
        others = cost;
        target = c;
      }
    }
    others_[i] = others;
    seen_[i] = clusters_.moves();
    double best = -leaving.noise;
    if (leaving.gain + others < best) {
      best = leaving.gain + others;
    } else {
      target = own;
    }
    const bool founds = !leaving.alone && leaving.gain + clusters_.found(leaving, count) < best;
    return founds ? new_cluster : target;
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
    this->for_each(static_cast<std::int64_t>(labels.size()), [&](int member, std::int64_t k) {
      const Node i = static_cast<Node>(k);
      const Moving point = this->moving(i, member);
      const Count count = this->points_.count_of(i);
      double others = VectorClusters<Score>::infinity;
      for (Label c = 0; c < this->clusters_.n_labels(); ++c) {
        if (c == labels[k] || this->clusters_.is_empty(c)) continue;
        others = std::min(others, this->clusters_.join(c, point, count, others));
      }
      margin[k] = this->clusters_.leaving(labels[k], point, count).gain + others;
    });
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
    return VectorMover<Score>(points, labels, n_labels, prior, options, cancel, gaussian).run();
  });
}

void gaussian_margins(const PointsView& points, std::span<const Label> labels, Label n_labels,
                      const PriorParameters& prior, const GaussianParameters& gaussian,
                      std::span<double> margin, int n_threads, Cancel& cancel) {
  with_covariance(gaussian.covariance, [&]<class Score>() {
    VectorMargins<Score>(points, labels, n_labels, prior, n_threads, cancel, gaussian)
        .run(labels, margin);
  });
}

}  // namespace powercut
