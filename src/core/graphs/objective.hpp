#pragma once

#include <span>
#include <string_view>

#include "graphs/clusters.hpp"

namespace powercut {

/// J = sum over clusters of a score + tradeoff * Pitman-Yor regulariser.
struct Objective {
  std::string_view score;
  std::span<const double> score_parameters;
  double concentration;
  double discount;
  double tradeoff;
};

/// J without the constant of the regulariser, from the clusters (empty ones count nothing).
double objective(const Objective& j, const Clusters& clusters);

}  // namespace powercut
