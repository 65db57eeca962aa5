#include "vectors/local_moves.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "vectors/proposals.hpp"
#include "vectors/scores.hpp"

namespace powercut {
namespace {

template <class Score>
class VectorMover : VectorProposer<Score> {
 public:
  template <class... Parameters>
  VectorMover(const PointsView& points, std::span<Label> labels, Label n_labels,
              const PriorParameters& prior, const VectorMoveOptions& options,
              CancellationToken& token, Parameters&... parameters)
      : VectorProposer<Score>(points, n_labels, prior, {options.conflicts, labels, n_labels},
                              options.n_threads, token, parameters...),
        labels_(labels),
        options_(options),
        token_(token),
        order_(visited_points(labels.size(), options.visited)),
        // Small batches rarely contain two moves from or to the same small cluster. Neither do
        // points of clusters that are mostly elsewhere.
        batch_size_(std::max<std::size_t>(
            order_.size() / 1024, points.elsewhere == nullptr ? 1 : CostBounds::tile_length)),
        others_(labels.size(), -infinity),
        seen_(labels.size(), 0) {
    clusters_.set_inertia(options.inertia);
    this->refresh(labels);
  }

  VectorMoveSummary run() {
    Random(options_.seed).shuffle(order_);
    const std::size_t n = order_.size();
    const Count bound = max_visits * static_cast<Count>(n);
    const double least = options_.negligible * static_cast<double>(n);
    Count visits = 0, passes = 0, moves_before = 0;
    report(passes);
    for (std::size_t at = 0, unmoved = 0; unmoved < n && visits < bound;) {
      const std::size_t length = std::min(batch_size_, n - at);
      const bool moved = move_batch({order_.data() + at, length});
      unmoved = moved ? 0 : unmoved + length;
      visits += static_cast<Count>(length);
      at += length;
      if (at < n) continue;
      at = 0;
      report(++passes);
      const Count moves = clusters_.moves() - moves_before;
      if (moves > 0) this->refresh(labels_);
      if (static_cast<double>(moves) < least) break;
      moves_before = clusters_.moves();
    }
    return {gain_, clusters_.moves(), clusters_.n_labels()};
  }

 private:
  static std::vector<Node> visited_points(std::size_t n, const bool* visited) {
    std::vector<Node> points;
    points.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (visited == nullptr || visited[i]) points.push_back(static_cast<Node>(i));
    }
    return points;
  }

  /// Reports progress without J, whose initial value is not known here.
  void report(Count passes) const {
    const double j = std::numeric_limits<double>::quiet_NaN();
    token_.report({points_.n, passes, clusters_.moves(), j});
  }

  using VectorProposer<Score>::clusters_, VectorProposer<Score>::conflicts_,
      VectorProposer<Score>::points_, VectorProposer<Score>::infinity;
  using Leaving = typename ScoredVectorClusters<Score>::Leaving;

  /// The data of the points of a batch, gathered.
  struct Batch {
    std::vector<Label> labels;
    std::vector<Count> seen;
    std::vector<double> others;
    std::vector<Label> targets;
  };

  /// Proposes and commits the moves of a batch of points; returns whether any was made.
  bool move_batch(std::span<const Node> points) {
    batch_.targets.resize(points.size());
    gather(labels_, points, batch_.labels);
    gather(seen_, points, batch_.seen);
    gather(others_, points, batch_.others);
    const Visits visits{points, batch_.labels, batch_.seen, batch_.others, batch_.targets};
    this->for_tiles(static_cast<std::int64_t>(points.size()),
                    [&](int thread, std::int64_t begin, std::int64_t end) {
                      this->propose(thread, visits.part(begin, end));
                    });
    const Count before = clusters_.moves();
    for (std::size_t k = 0; k < points.size(); ++k) {
      others_[points[k]] = batch_.others[k];
      seen_[points[k]] = before;
      if (batch_.targets[k] != batch_.labels[k]) commit(points[k], batch_.targets[k]);
    }
    return clusters_.moves() > before;
  }

  template <class From, class T>
  static void gather(const From& from, std::span<const Node> points, std::vector<T>& values) {
    values.clear();
    for (const Node i : points) values.push_back(from[i]);
  }

  /// Makes a proposed move if it still lowers J after the moves before it, and if none of these has
  /// brought a conflicting point to the cluster.
  void commit(Node i, Label target) {
    if (target != new_cluster && clusters_.is_empty(target)) return;
    if (conflicts_.concern(i) && !conflicts_.allow(i, target)) return;
    const WeightedPoint point = this->point_at(i, 0);
    const Count count = points_.count_of(i);
    const Leaving leaving = clusters_.leaving(labels_[i], point, count);
    if (target == new_cluster && leaving.is_singleton) return;
    const double cost = target == new_cluster ? clusters_.open_cost(leaving, count)
                                              : clusters_.join(target, point, count, infinity);
    const double delta = leaving.gain + cost;
    if (!(delta < -leaving.least)) return;
    if (target == new_cluster) target = clusters_.open();
    clusters_.move(labels_[i], target, point, count);
    conflicts_.add_move(i, labels_[i], target);
    labels_[i] = target;
    others_[i] = -infinity;  // the cluster it left is now one of the others
    gain_ += delta;
  }

  std::span<Label> labels_;
  const VectorMoveOptions& options_;
  CancellationToken& token_;
  std::vector<Node> order_;  ///< the points that are visited
  std::size_t batch_size_;
  Batch batch_;
  std::vector<double> others_;  ///< lower bound of the cost of all other clusters at the last visit
  std::vector<Count> seen_;     ///< number of moves made before the last visit
  double gain_ = 0;
};

}  // namespace

VectorMoveSummary kmeans_moves(const PointsView& points, std::span<Label> labels, Label n_labels,
                               const PriorParameters& prior, const VectorMoveOptions& options,
                               CancellationToken& token) {
  return VectorMover<KMeansClusters>(points, labels, n_labels, prior, options, token).run();
}

VectorMoveSummary gaussian_moves(const PointsView& points, std::span<Label> labels, Label n_labels,
                                 const PriorParameters& prior, const GaussianParameters& gaussian,
                                 const VectorMoveOptions& options, CancellationToken& token) {
  return with_covariance(gaussian.covariance, [&]<class Score>() {
    return VectorMover<Score>(points, labels, n_labels, prior, options, token, gaussian, token)
        .run();
  });
}

}  // namespace powercut
