#include "vector_moves.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "prior.hpp"
#include "random.hpp"
#include "vector_scores.hpp"

namespace powercut {
namespace {

/// See graph_moves.cpp: a gain must exceed the rounding of its terms, and where it
/// only seems to, the visits are bounded.
constexpr double rounding = 1e-12;
constexpr Count max_visits = 1000;

template <class Clusters>
class VectorMover {
 public:
  VectorMover(const PointsView& points, std::span<Label> labels, Label n_labels,
              const PriorParameters& prior, Cancel& cancel)
      : points_(points),
        labels_(labels),
        ticker_(cancel),
        clusters_(points.dimensions),
        size_(n_labels, 0),
        prior_(prior.concentration, prior.discount, prior.tradeoff, total()) {
    clusters_.grow(n_labels);
    for (Node i = 0; i < points_.n; ++i) {
      size_[labels_[i]] += points_.count_of(i);
      clusters_.add(labels_[i], points_.row(i, buffer_), points_.weight_of(i));
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
    Count visits = 0;
    for (std::size_t at = 0, unmoved = 0; unmoved < order.size() && visits < bound; ++unmoved) {
      ++visits;
      const double delta = visit(order[at]);
      if (delta < 0) {
        summary.gain += delta;
        ++summary.moves;
        unmoved = 0;
      }
      at = at + 1 == order.size() ? 0 : at + 1;
    }
    summary.n_labels = static_cast<Label>(size_.size());
    return summary;
  }

 private:
  Count total() const {
    Count sum = 0;
    for (Node i = 0; i < points_.n; ++i) sum += points_.count_of(i);
    return sum;
  }

  /// Makes the best move of a point and returns its delta, 0 where it stays.
  double visit(Node i) {
    const double* x = points_.row(i, buffer_);
    const double w = points_.weight_of(i);
    const Count count = points_.count_of(i);
    const Label own = labels_[i];
    const bool alone = size_[own] == count;
    const double gives_up = alone ? 0 : clusters_.leave(own, x, w);
    const double leave = gives_up + prior_.leave(size_[own], count, n_clusters_);
    const double noise = rounding * (std::abs(gives_up) + prior_.tradeoff());
    Label target = own;
    double best = -noise;
    const Label n_labels = static_cast<Label>(size_.size());
    for (Label c = 0; c < n_labels; ++c) {
      if (c == own || size_[c] == 0) continue;
      const double delta = leave + prior_.join(size_[c], count) + clusters_.join(c, x, w);
      if (delta < best) {
        best = delta;
        target = c;
      }
    }
    ticker_.tick(static_cast<std::int64_t>(n_labels) * points_.dimensions);
    if (!alone && leave + prior_.found(count, n_clusters_) < best) {
      best = leave + prior_.found(count, n_clusters_);
      target = open_cluster();
    }
    if (target == own) return 0;
    move(i, x, w, count, target);
    return best;
  }

  void move(Node i, const double* x, double w, Count count, Label target) {
    const Label own = labels_[i];
    size_[own] -= count;
    if (size_[own] == 0) {
      clusters_.clear(own);
      empty_.push_back(own);
      --n_clusters_;
    } else {
      clusters_.remove(own, x, w);
    }
    if (size_[target] == 0) ++n_clusters_;
    size_[target] += count;
    clusters_.add(target, x, w);
    labels_[i] = target;
  }

  Label open_cluster() {
    if (!empty_.empty()) {
      const Label label = empty_.back();
      empty_.pop_back();
      return label;
    }
    size_.push_back(0);
    clusters_.grow(size_.size());
    return static_cast<Label>(size_.size() - 1);
  }

  const PointsView& points_;
  std::span<Label> labels_;
  Ticker ticker_;
  Clusters clusters_;
  std::vector<Count> size_;
  Prior prior_;
  std::vector<double> buffer_;
  std::vector<Label> empty_;
  Count n_clusters_ = 0;
};

}  // namespace

VectorMoveSummary kmeans_moves(const PointsView& points, std::span<Label> labels, Label n_labels,
                               const PriorParameters& prior, std::uint64_t seed, Cancel& cancel) {
  return VectorMover<KMeansClusters>(points, labels, n_labels, prior, cancel).run(seed);
}

}  // namespace powercut
