#pragma once

// Algorithm 1 on points, directly and through their linear kernel.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graphs/lloyd.hpp"
#include "prior/increments.hpp"
#include "vectors/lloyd.hpp"
#include "vectors/points_support.hpp"

namespace powercut::testing {

constexpr int many_passes = 1000;

inline std::vector<double> in_points(const SmallPoints& points, std::vector<Label>& labels,
                                     Label n_labels, const PriorParameters& prior,
                                     int max_passes = many_passes) {
  Never never;
  return lloyd_points(points.view(), labels, n_labels, prior, max_passes, never);
}

/// Through M = W X X' W, for which K = X X' is the linear kernel.
inline std::vector<double> in_kernel(const SmallPoints& points, std::vector<Label>& labels,
                                     Label n_labels, const PriorParameters& prior,
                                     int max_passes = many_passes) {
  const Node n = points.n, d = points.dimensions;
  const std::vector<double> weight =
      points.weight.empty() ? std::vector<double>(n, 1) : points.weight;
  std::vector<double> matrix(n * n, 0);
  for (Node i = 0; i < n; ++i) {
    for (Node j = 0; j < n; ++j) {
      for (Node k = 0; k < d; ++k) {
        matrix[i * n + j] +=
            weight[i] * weight[j] * points.values[i * d + k] * points.values[j * d + k];
      }
    }
  }
  Never never;
  return lloyd_kernel(GraphView::dense(n, n, matrix.data(), GraphView::Stored::float64),
                      std::vector<double>(n, 0), weight, labels, n_labels, prior, max_passes,
                      never);
}

inline const std::vector<PriorParameters> priors{
    {1.5, 0.4, 0.5}, {1.5, 0.4, 5}, {5, 0, 15}, {1, 0.8, 60}};

inline SmallPoints weighted_points(std::uint64_t seed, Node n, Node dimensions) {
  SmallPoints points = random_points(seed, n, dimensions);
  points.weight = random_weights(seed + 100, n);
  return points;
}

/// Every label below the largest is in use, in the order of first members.
inline void expect_compact(const std::vector<Label>& labels) {
  Label next = 0;
  for (const Label c : labels) {
    ASSERT_LE(c, next);
    if (c == next) ++next;
  }
}

inline void expect_falling(const std::vector<double>& path) {
  for (std::size_t pass = 1; pass < path.size(); ++pass) {
    EXPECT_LE(path[pass], path[pass - 1] + 1e-10 * (1 + std::abs(path[pass])));
  }
}

}  // namespace powercut::testing
