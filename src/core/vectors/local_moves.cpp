#include "vectors/local_moves.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "vectors/proposals.hpp"
#include "vectors/scores.hpp"

namespace powercut {
namespace {

template <class Score>
class VectorMover : VectorWork<Score> {
 public:
  template <class... Parameters>
  VectorMover(const PointsView& points, std::span<Label> labels, Label n_labels,
              const PriorParameters& prior, const VectorMoveOptions& options, Cancel& cancel,
              Parameters&... parameters)
      : VectorWork<Score>(points, n_labels, prior, options.n_threads, cancel, parameters...),
        labels_(labels),
        options_(options),
        cancel_(cancel),
        // So few at a time that hardly any two move to or from one small cluster.
        block_size_(std::max<std::size_t>(labels.size() / 1024, 1)),
        others_(labels.size(), -infinity),
        seen_(labels.size(), 0) {
    this->refresh(labels);
  }

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
      if (moves > 0) {
        this->refresh(labels_);
        is_known_ = false;
      }
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

  /// What is known of the points of a block, side by side.
  struct Block {
    std::vector<Label> labels;
    std::vector<Count> seen;
    std::vector<double> others;
    std::vector<Label> targets;
  };

  /// Makes the best moves of a block of points; whether there were any.
  bool block(std::span<const Node> points) {
    block_.targets.resize(points.size());
    gather(labels_, points, block_.labels);
    gather(seen_, points, block_.seen);
    gather(others_, points, block_.others);
    const Visits visits{points, block_.labels, block_.seen, block_.others, block_.targets};
    if (is_elsewhere(points.size())) {
      propose_elsewhere(visits);
    } else {
      this->for_tiles(static_cast<std::int64_t>(points.size()),
                      [&](int member, std::int64_t begin, std::int64_t end) {
                        this->propose(member, visits.part(begin, end));
                      });
    }
    const Count before = clusters_.moves();
    for (std::size_t k = 0; k < points.size(); ++k) {
      others_[points[k]] = block_.others[k];
      seen_[points[k]] = before;
      if (block_.targets[k] != block_.labels[k]) make(points[k], block_.targets[k]);
    }
    return clusters_.moves() > before;
  }

  template <class From, class T>
  static void gather(const From& from, std::span<const Node> points, std::vector<T>& values) {
    values.clear();
    for (const Node i : points) values.push_back(from[i]);
  }

  bool is_elsewhere(std::size_t n_points) const {
    return options_.elsewhere != nullptr &&
           static_cast<double>(n_points) * clusters_.n_labels() * points_.dimensions >=
               options_.elsewhere->least_products();
  }

  void propose_elsewhere(const Visits& visits) {
    if (!is_known_) {
      changed_.resize(clusters_.n_labels());
      std::iota(changed_.begin(), changed_.end(), 0);
      options_.elsewhere->begin(clusters_.save(std::exchange(changed_, {})));
      is_known_ = true;
    }
    std::ranges::sort(changed_);
    const auto repeats = std::ranges::unique(changed_);
    changed_.erase(repeats.begin(), repeats.end());
    options_.elsewhere->propose(visits, clusters_.save(std::exchange(changed_, {})));
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
    if (is_known_) changed_.insert(changed_.end(), {labels_[i], target});
    clusters_.move(labels_[i], target, point, count);
    labels_[i] = target;
    others_[i] = -infinity;  // the cluster it left is one of the others now
    gain_ += delta;
  }

  std::span<Label> labels_;
  const VectorMoveOptions& options_;
  Cancel& cancel_;
  std::size_t block_size_;
  Block block_;
  std::vector<double> others_;  ///< least cost of another cluster at the last visit, or less
  std::vector<Count> seen_;     ///< how many moves had been made then
  bool is_known_ = false;       ///< elsewhere, but for the clusters that changed since
  std::vector<Label> changed_;  ///< may have some twice
  double gain_ = 0;
};

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

}  // namespace powercut
