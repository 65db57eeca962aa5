#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "graphs/clusters.hpp"
#include "prior/increments.hpp"

namespace powercut {

/// J = sum of the scores of the clusters + tradeoff * (size prior + alone * clusters of one node).
struct Objective {
  std::string_view score;
  std::span<const double> score_parameters;
  double concentration;
  double discount;
  double tradeoff;
  double alone = 0;
  std::shared_ptr<const PriorTable> prior_table = nullptr;  ///< if it is known
};

/// J without the constant of the size prior; empty clusters are skipped.
double objective(const Objective& j, const Clusters& clusters);

}  // namespace powercut
