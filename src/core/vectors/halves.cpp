#include "vectors/halves.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "vectors/groups.hpp"

namespace powercut {
namespace {

class Halving {
 public:
  Halving(const PointsView& points, std::span<const Label> labels, Label n_labels, ThreadTeam& team,
          Ticker& ticker)
      : points_(points),
        labels_(labels),
        n_labels_(n_labels),
        d_(points.dimensions),
        team_(team),
        ticker_(ticker),
        buffers_(team.size()),
        halves_(labels.size()) {}

  /// Draws a point of each cluster with probability proportional to its mass, by the largest key
  /// (Gumbel-max); then another one, in proportion to the squared distance to the first.
  void seed(const SeedKeys& keys) {
    std::vector<double> first_squares(labels_.size()), second_squares(labels_.size());
    set_squares(largest(keys.first), first_squares);
    std::vector<double> far(labels_.size());
    for (std::size_t i = 0; i < far.size(); ++i) {
      const double mass = points_.weight_of(static_cast<Node>(i)) * first_squares[i];
      far[i] = std::log(mass) + keys.second[i];
    }
    set_squares(largest(far), second_squares);
    for (std::size_t i = 0; i < halves_.size(); ++i) {
      halves_[i] = 2 * labels_[i] + (second_squares[i] < first_squares[i]);
    }
  }

  /// Assigns each point to the nearer mean of the halves of its cluster.
  void step() {
    const PointGroups means =
        point_groups(points_, halves_, 2 * n_labels_, Squares::none, team_, ticker_);
    // The plane between the two means of each cluster.
    std::vector<double> normal(n_labels_ * d_), middle(n_labels_);
    for (Label c = 0; c < n_labels_; ++c) {
      const double *first = &means.mean[2 * c * d_], *second = first + d_;
      double rise = 0;
      for (std::size_t j = 0; j < d_; ++j) {
        normal[c * d_ + j] = second[j] - first[j];
        rise += second[j] * second[j] - first[j] * first[j];
      }
      middle[c] = means.count[2 * c + 1] == 0 ? infinity : 0.5 * rise;  // an empty half stays empty
    }
    for_each_point([&](Node i, const double* x) {
      const Label c = labels_[i];
      double along = 0;
      for (std::size_t j = 0; j < d_; ++j) along += x[j] * normal[c * d_ + j];
      halves_[i] = 2 * c + (along > middle[c]);
    });
  }

  std::vector<Label> take() { return std::move(halves_); }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  /// Points per range of a thread.
  static constexpr std::int64_t range_length = 4096;

  template <class Body>
  void for_each_point(const Body& body) {
    team_.for_ranges(static_cast<std::int64_t>(labels_.size()), range_length,
                     [&](int thread, std::int64_t begin, std::int64_t end) {
                       for (std::int64_t i = begin; i < end; ++i) {
                         const auto point = static_cast<Node>(i);
                         body(point, points_.row(point, buffers_[thread]));
                       }
                       if (thread == 0) {
                         ticker_.tick((end - begin) * static_cast<std::int64_t>(d_));
                       }
                     });
  }

  /// The point of each cluster with the largest key; the last of equals.
  std::vector<Node> largest(std::span<const double> keys) const {
    std::vector<double> most(n_labels_, -infinity);
    std::vector<Node> found(n_labels_, 0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!(keys[i] >= most[labels_[i]])) continue;
      most[labels_[i]] = keys[i];
      found[labels_[i]] = static_cast<Node>(i);
    }
    return found;
  }

  /// The squared distance of each point to the seed of its cluster.
  void set_squares(const std::vector<Node>& seeds, std::vector<double>& squares) {
    std::vector<double> centres(n_labels_ * d_), buffer;
    for (Label c = 0; c < n_labels_; ++c) {
      const double* row = points_.row(seeds[c], buffer);
      std::copy_n(row, d_, &centres[c * d_]);
    }
    for_each_point([&](Node i, const double* x) {
      squares[i] = squared_distance(x, &centres[labels_[i] * d_], d_);
    });
  }

  const PointsView& points_;
  std::span<const Label> labels_;
  Label n_labels_;
  std::size_t d_;
  ThreadTeam& team_;
  Ticker& ticker_;
  std::vector<std::vector<double>> buffers_;
  std::vector<Label> halves_;
};

}  // namespace

std::vector<Label> halve(const PointsView& points, std::span<const Label> labels, Label n_labels,
                         const SeedKeys& keys, int steps, ThreadTeam& team, Ticker& ticker) {
  Halving halving(points, labels, n_labels, team, ticker);
  halving.seed(keys);
  for (int i = 0; i < steps; ++i) halving.step();
  return halving.take();
}

}  // namespace powercut
