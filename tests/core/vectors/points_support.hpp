#pragma once

// Random points, and the objective of vectors directly from its formula.

#include <map>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "base/types.hpp"
#include "prior/increments.hpp"
#include "support.hpp"
#include "vectors/gaussian.hpp"
#include "vectors/points.hpp"

namespace powercut::testing {

/// Points that own their arrays.
struct SmallPoints {
  Node n = 0;
  Node dimensions = 0;
  std::vector<double> values;
  std::vector<double> weight;  // empty: ones
  std::vector<Count> count;    // empty: ones

  PointsView view() const {
    return {n,
            dimensions,
            values.data(),
            false,
            weight.empty() ? nullptr : weight.data(),
            count.empty() ? nullptr : count.data()};
  }
};

/// Clouds around `clouds` centers, five apart along a diagonal.
inline SmallPoints random_points(std::uint64_t seed, Node n, Node dimensions, Node clouds = 3) {
  Random random(seed);
  SmallPoints points{n, dimensions, {}, {}, {}};
  for (Node i = 0; i < n; ++i) {
    for (Node d = 0; d < dimensions; ++d) {
      points.values.push_back(5.0 * (i % clouds) + 2 * random.uniform() + random.uniform());
    }
  }
  return points;
}

/// Weights from 0.5 to 2.5.
inline std::vector<double> random_weights(std::uint64_t seed, Node n) {
  Random random(seed);
  std::vector<double> weights(n);
  for (double& w : weights) w = 0.5 + 2 * random.uniform();
  return weights;
}

/// Prior parameters that own their arrays.
struct Expected {
  Covariance covariance;
  std::vector<double> mean;
  double kappa;
  double shape;
  std::vector<double> scale;

  GaussianParameters view() const { return {covariance, mean.data(), kappa, shape, scale.data()}; }
};

inline std::vector<Expected> expectations(std::size_t d) {
  std::vector<double> mean(d, 4.0), diagonal(d), matrix(d * d, 0.1);
  for (std::size_t j = 0; j < d; ++j) {
    diagonal[j] = 0.5 + 0.2 * static_cast<double>(j);
    matrix[j * d + j] = 1 + 0.1 * static_cast<double>(j);
  }
  const double least = 0.5 * static_cast<double>(d);
  return {{Covariance::diagonal, mean, 0.1, 1.0, diagonal},
          {Covariance::diagonal, mean, 20, 300.0, diagonal},
          {Covariance::spherical, mean, 0.1, 1.0, {2.0}},
          {Covariance::full, mean, 0.1, least + 0.5, matrix}};
}

/// Weighted sum of squares within clusters + tradeoff * size prior.
inline double naive_objective(const SmallPoints& points, std::span<const Label> labels,
                              const PriorParameters& prior) {
  std::map<Label, std::vector<Node>> members;
  for (Node i = 0; i < points.n; ++i) members[labels[i]].push_back(i);
  const auto weight_of = [&](Node i) { return points.weight.empty() ? 1 : points.weight[i]; };
  double within = 0;
  std::vector<Count> sizes;
  for (const auto& [c, nodes] : members) {
    Count size = 0;
    for (const Node i : nodes) size += points.count.empty() ? 1 : points.count[i];
    sizes.push_back(size);
    for (Node d = 0; d < points.dimensions; ++d) {
      double sum = 0, total = 0;
      for (const Node i : nodes) {
        sum += weight_of(i) * points.values[i * points.dimensions + d];
        total += weight_of(i);
      }
      for (const Node i : nodes) {
        const double away = points.values[i * points.dimensions + d] - sum / total;
        within += weight_of(i) * away * away;
      }
    }
  }
  return within + prior.tradeoff * size_prior(prior.concentration, prior.discount, sizes);
}

}  // namespace powercut::testing
