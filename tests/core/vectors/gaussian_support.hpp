#pragma once

// The objective of Gaussian clusters directly from its formula, and points to test it on.

#include <cmath>
#include <map>
#include <span>
#include <vector>

#include "vectors/points_support.hpp"

namespace powercut::testing {

/// ln |B| by elimination without pivoting, which a positive definite matrix does not need.
inline double log_determinant(std::vector<double> b, std::size_t d) {
  double sum = 0;
  for (std::size_t j = 0; j < d; ++j) {
    sum += std::log(b[j * d + j]);
    for (std::size_t i = j + 1; i < d; ++i) {
      const double part = b[i * d + j] / b[j * d + j];
      for (std::size_t k = j; k < d; ++k) b[i * d + k] -= part * b[j * d + k];
    }
  }
  return sum;
}

/// -ln marginal likelihood of all clusters + tradeoff * size prior, directly from the formulas.
inline double gaussian_objective(const SmallPoints& points, std::span<const Label> labels,
                                 const PriorParameters& prior, const Expected& expected) {
  const std::size_t d = points.dimensions;
  const double half_d = 0.5 * static_cast<double>(d);
  std::map<Label, std::vector<Node>> members;
  for (Node i = 0; i < points.n; ++i) members[labels[i]].push_back(i);
  double j = 0;
  std::vector<Count> sizes;
  for (const auto& [c, nodes] : members) {
    double total = 0;
    Count size = 0;
    std::vector<double> mean(d, 0), b(d * d, 0);
    for (const Node i : nodes) {
      const double w = points.weight.empty() ? 1 : points.weight[i];
      total += w;
      size += points.count.empty() ? 1 : points.count[i];
      for (std::size_t k = 0; k < d; ++k) mean[k] += w * points.values[i * d + k];
    }
    sizes.push_back(size);
    for (double& m : mean) m /= total;
    const double pull = expected.kappa * total / (expected.kappa + total);
    for (std::size_t p = 0; p < d; ++p) {
      for (std::size_t q = 0; q < d; ++q) {
        double sum = pull * (mean[p] - expected.mean[p]) * (mean[q] - expected.mean[q]);
        for (const Node i : nodes) {
          const double w = points.weight.empty() ? 1 : points.weight[i];
          sum += w * (points.values[i * d + p] - mean[p]) * (points.values[i * d + q] - mean[q]);
        }
        b[p * d + q] = 0.5 * sum;
      }
    }
    j += half_d * (std::log1p(total / expected.kappa) + total * std::log(2 * M_PI));
    const double a = expected.shape;
    if (expected.covariance == Covariance::diagonal) {
      for (std::size_t k = 0; k < d; ++k) {
        j += (a + total / 2) * std::log(expected.scale[k] + b[k * d + k]) -
             a * std::log(expected.scale[k]) - std::lgamma(a + total / 2) + std::lgamma(a);
      }
    } else if (expected.covariance == Covariance::spherical) {
      double trace = expected.scale[0];
      for (std::size_t k = 0; k < d; ++k) trace += b[k * d + k];
      j += (a + half_d * total) * std::log(trace) - a * std::log(expected.scale[0]) -
           std::lgamma(a + half_d * total) + std::lgamma(a);
    } else {
      for (std::size_t k = 0; k < d * d; ++k) b[k] += expected.scale[k];
      j += (a + total / 2) * log_determinant(b, d) - a * log_determinant(expected.scale, d);
      for (std::size_t k = 0; k < d; ++k) {
        const double shape = a - 0.5 * static_cast<double>(k);
        j += std::lgamma(shape) - std::lgamma(shape + total / 2);
      }
    }
  }
  return j + prior.tradeoff * size_prior(prior.concentration, prior.discount, sizes);
}

/// Points without weights, with fractional weights, with integer weights and counts.
inline std::vector<SmallPoints> variants(std::uint64_t seed, Node n, Node dimensions) {
  std::vector<SmallPoints> all(3, random_points(seed, n, dimensions));
  all[1].weight = random_weights(seed + 100, n);
  Random random(seed + 200);
  for (Node i = 0; i < n; ++i) {
    all[2].count.push_back(1 + random.below(5));
    all[2].weight.push_back(static_cast<double>(all[2].count.back()));
  }
  return all;
}

inline const std::vector<PriorParameters> gaussian_priors{
    {1.5, 0.4, 0}, {1.5, 0.4, 1}, {1, 0.8, 20}};

}  // namespace powercut::testing
