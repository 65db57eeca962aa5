#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace powercut {

/// The distinct sizes of the clusters of a partition.
class SizeHistogram {
 public:
  struct Bin {
    Count size;
    Count clusters;  ///< of this size
  };

  /// Sizes are at least 1.
  explicit SizeHistogram(std::span<const Count> sizes);

  std::span<const Bin> bins() const { return bins_; }  ///< ascending
  Count clusters() const { return clusters_; }
  Count points() const { return points_; }

 private:
  std::vector<Bin> bins_;
  Count clusters_ = 0;
  Count points_ = 0;
};

struct PitmanYor {
  double concentration;
  double discount;
};

/// The log probability of one partition with these sizes (the log EPPF), with all constants.
double log_prob(const PitmanYor& prior, const SizeHistogram& sizes);

/// The most likely prior of at least one cluster. One that is not inside the space of parameters
/// lies on the boundary: discount from 0 to 1 - 1e-6, concentration + discount from 1e-6 to 1e9.
PitmanYor most_likely_prior(const SizeHistogram& sizes);

/// The most likely concentration of k clusters of n points at a given discount.
double most_likely_concentration(double discount, Count k, Count n);

/// The sums of 1 / (first + j discount) and j / (first + j discount) over j = 0, ..., k - 2: the
/// derivatives of the sum of ln(first + j discount) in `first` and in the discount.
struct NewClusterSums {
  double inverse;
  double weighted;
};
NewClusterSums new_cluster_sums(double first, double discount, Count k);

}  // namespace powercut
