#include "vector_moves.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "gaussian_full.hpp"
#include "gaussian_scores.hpp"
#include "prior.hpp"
#include "random.hpp"
#include "vector_scores.hpp"

namespace powercut {
namespace {

/// See graph_moves.cpp: a gain must exceed the rounding of its terms, and where it
/// only seems to, the visits are bounded.
constexpr double rounding = 1e-12;
constexpr Count max_visits = 1000;

/// Clusters that cost this much more than what a point gains by leaving, as part of it, are not
/// told apart: the less a scan has to tell, the more it can skip; the more it tells, the longer
/// the next visits need no scan.
constexpr double margin = 0.25;

template <class Clusters>
class VectorMover {
 public:
  template <class... Parameters>
  VectorMover(const PointsView& points, std::span<Label> labels, Label n_labels,
              const PriorParameters& prior, Cancel& cancel, const Parameters&... parameters)
      : points_(points),
        labels_(labels),
        ticker_(cancel),
        clusters_(points, parameters...),
        size_(n_labels, 0),
        changed_(n_labels, 0),
        prior_(prior.concentration, prior.discount, prior.tradeoff, total()),
        others_(points.n, -infinity),
        seen_(points.n, 0) {
    clusters_.grow(n_labels);
    for (Node i = 0; i < points_.n; ++i) {
      size_[labels_[i]] += points_.count_of(i);
      clusters_.add(labels_[i], moving(i));
    }
    for (Label c = n_labels; c-- > 0;) {
      if (size_[c] == 0) {
        empty_.push_back(c);
      } else {
        ++n_clusters_;
      }
    }
  }

  VectorMoveSummary run(std::uint64_t seed) {
    std::vector<Node> order(points_.n);
    std::iota(order.begin(), order.end(), 0);
    Random(seed).shuffle(order);
    VectorMoveSummary summary{0, 0, 0};
    const Count bound = max_visits * points_.n;
    Count visits = 0, moves_when_fresh = 0;
    for (std::size_t at = 0, unmoved = 0; unmoved < order.size() && visits < bound; ++unmoved) {
      ++visits;
      const double delta = visit(order[at]);
      if (delta < 0) {
        summary.gain += delta;
        ++summary.moves;
        unmoved = 0;
      }
      if (++at < order.size()) continue;
      at = 0;
      if (summary.moves > moves_when_fresh) refresh();
      moves_when_fresh = summary.moves;
    }
    summary.n_labels = static_cast<Label>(size_.size());
    return summary;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  Count total() const {
    Count sum = 0;
    for (Node i = 0; i < points_.n; ++i) sum += points_.count_of(i);
    return sum;
  }

  Moving moving(Node i) {
    return {points_.row(i, buffer_), points_.weight_of(i), points_.scatter_of(i)};
  }

  /// Sums all clusters anew: what was added and taken away again leaves rounding behind.
  void refresh() {
    for (std::size_t c = 0; c < size_.size(); ++c) clusters_.clear(static_cast<Label>(c));
    for (Node i = 0; i < points_.n; ++i) clusters_.add(labels_[i], moving(i));
  }

  /// Makes the best move of a point and returns its delta, 0 where it stays.
  double visit(Node i) {
    const Moving point = moving(i);
    const Count count = points_.count_of(i);
    const Label own = labels_[i];
    const bool alone = size_[own] == count;
    const double alone_cost = clusters_.found(point);
    const double gives_up = alone ? -alone_cost : clusters_.leave(own, point);
    const double leave = gives_up + prior_.leave(size_[own], count, n_clusters_);
    const double noise = rounding * (std::abs(gives_up) + prior_.tradeoff());
    // No cluster that has not changed since the last visit costs less than others_[i].
    const bool only_changed = leave + others_[i] >= -noise;
    double others = only_changed ? others_[i] : -leave + margin * std::abs(leave);
    Label target = own;
    const Label n_labels = static_cast<Label>(size_.size());
    for (Label c = 0; c < n_labels; ++c) {
      if (size_[c] == 0 || c == own || (only_changed && changed_[c] <= seen_[i])) continue;
      const double seat = prior_.join(size_[c], count);
      const double cost = seat + clusters_.join(c, point, others - seat);
      if (cost < others) {
        others = cost;
        target = c;
      }
    }
    ticker_.tick(static_cast<std::int64_t>(n_labels) * points_.dimensions);
    others_[i] = others;
    seen_[i] = moves_;
    double best = -noise;
    if (leave + others < best) {
      best = leave + others;
    } else {
      target = own;
    }
    const double founded = leave + prior_.found(count, n_clusters_) + alone_cost;
    if (!alone && founded < best) {
      best = founded;
      target = open_cluster();
    }
    if (target == own) return 0;
    move(i, point, count, target);
    return best;
  }

  void move(Node i, const Moving& point, Count count, Label target) {
    const Label own = labels_[i];
    size_[own] -= count;
    if (size_[own] == 0) {
      clusters_.clear(own);
      empty_.push_back(own);
      --n_clusters_;
    } else {
      clusters_.remove(own, point);
    }
    if (size_[target] == 0) ++n_clusters_;
    size_[target] += count;
    clusters_.add(target, point);
    labels_[i] = target;
    changed_[own] = changed_[target] = ++moves_;
    others_[i] = -infinity;  // the cluster it left is one of the others now
  }

  Label open_cluster() {
    if (!empty_.empty()) {
      const Label label = empty_.back();
      empty_.pop_back();
      return label;
    }
    size_.push_back(0);
    changed_.push_back(0);
    clusters_.grow(size_.size());
    return static_cast<Label>(size_.size() - 1);
  }

  const PointsView& points_;
  std::span<Label> labels_;
  Ticker ticker_;
  Clusters clusters_;
  std::vector<Count> size_;
  std::vector<Count> changed_;  ///< which move changed a cluster last
  Prior prior_;
  std::vector<double> others_;  ///< least cost of another cluster at the last visit, or less
  std::vector<Count> seen_;     ///< how many moves had been made then
  std::vector<double> buffer_;
  std::vector<Label> empty_;
  Count n_clusters_ = 0;
  Count moves_ = 0;
};

}  // namespace

VectorMoveSummary kmeans_moves(const PointsView& points, std::span<Label> labels, Label n_labels,
                               const PriorParameters& prior, std::uint64_t seed, Cancel& cancel) {
  return VectorMover<KMeansClusters>(points, labels, n_labels, prior, cancel).run(seed);
}

VectorMoveSummary gaussian_moves(const PointsView& points, std::span<Label> labels, Label n_labels,
                                 const PriorParameters& prior, const GaussianParameters& gaussian,
                                 std::uint64_t seed, Cancel& cancel) {
  const auto run = [&]<class Clusters>() {
    return VectorMover<Clusters>(points, labels, n_labels, prior, cancel, gaussian).run(seed);
  };
  if (gaussian.covariance == Covariance::diagonal) return run.operator()<DiagonalClusters>();
  if (gaussian.covariance == Covariance::spherical) return run.operator()<SphericalClusters>();
  return run.operator()<FullClusters>();
}

}  // namespace powercut
