#pragma once

#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "vectors/points.hpp"

namespace powercut {

/// Gumbel variables of each point, which draw the two seeds of each cluster.
struct SeedKeys {
  std::span<const double> first;
  std::span<const double> second;
};

/// Splits every cluster in two: k-means++ seeding, then some steps of 2-means. Cluster c becomes
/// 2 c and 2 c + 1, which may be empty.
std::vector<Label> halve(const PointsView& points, std::span<const Label> labels, Label n_labels,
                         const SeedKeys& keys, int steps, ThreadTeam& team, Ticker& ticker);

}  // namespace powercut
