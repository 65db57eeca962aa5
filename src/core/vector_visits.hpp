#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "cancel.hpp"
#include "gaussian_scores.hpp"
#include "points.hpp"
#include "types.hpp"

namespace powercut {

/// The regulariser alone: the score of vectors is the kernel's own.
struct PriorParameters {
  double concentration;
  double discount;
  double tradeoff;
};

/// Points whose turn it is, and what is known of each.
struct Visits {
  std::span<const Node> points;
  std::span<const Label> labels;
  std::span<const Count> seen;  ///< how many moves had been made at the last visit
  std::span<double> others;     ///< least cost of another cluster then, or less; afterwards: now
  std::span<Label> targets;     ///< gets the best label: the own one of those that should stay

  Visits part(std::size_t begin, std::size_t end) const {
    const std::size_t n = end - begin;
    return {points.subspan(begin, n), labels.subspan(begin, n), seen.subspan(begin, n),
            others.subspan(begin, n), targets.subspan(begin, n)};
  }
};

/// Some clusters as numbers, with which another process can go on.
struct ClusterStates {
  std::vector<Label> label;
  std::vector<Count> size;
  std::vector<Count> changed;   ///< which move changed it last
  std::vector<double> numbers;  ///< as the score saves them, one cluster after the other
};

/// Who looks at points where the one that makes the moves does not: it keeps clusters of its own,
/// which it is told the changes of.
class PointsElsewhere {
 public:
  virtual ~PointsElsewhere() = default;
  /// A block of fewer points times clusters times features is not worth asking for.
  virtual double least_products() const = 0;
  virtual void begin(const ClusterStates& all) = 0;
  virtual void propose(const Visits& visits, const ClusterStates& changes) = 0;
};

/// Clusters that follow those of another process, which makes the moves.
class ClusterCopies {
 public:
  virtual ~ClusterCopies() = default;
  virtual Label n_labels() const = 0;
  /// Numbers that a state has.
  virtual std::size_t state_width() const = 0;
  virtual void set(const ClusterStates& all) = 0;
  virtual void load(const ClusterStates& changes) = 0;
  virtual void propose(const Visits& visits) = 0;
};

std::unique_ptr<ClusterCopies> kmeans_copies(const PointsView& points, const PriorParameters& prior,
                                             Cancel& cancel);
std::unique_ptr<ClusterCopies> gaussian_copies(const PointsView& points,
                                               const PriorParameters& prior,
                                               const GaussianParameters& gaussian, Cancel& cancel);

}  // namespace powercut
