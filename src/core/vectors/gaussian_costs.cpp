#include "vectors/gaussian_costs.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "vectors/scales.hpp"

namespace powercut {
namespace {

constexpr double log_two_pi = 1.83787706640934548356;

template <class Scales>
std::vector<double> costs(const Scales& scales, const PointsView& clusters,
                          const GaussianParameters& prior, CancellationToken& token) {
  const std::size_t k = clusters.n, d = clusters.dimensions;
  Ticker ticker(token);
  const double before = scales.log_size(prior.scale);
  std::vector<double> cost(k), grown(scales.width), away(d), row;
  for (std::size_t c = 0; c < k; ++c) {
    const auto node = static_cast<Node>(c);
    const double weight = clusters.weight_of(node), more = scales.rate * weight;
    const double *x = clusters.row(node, row), *scatter = clusters.scatter_of(node);
    for (std::size_t j = 0; j < d; ++j) away[j] = x[j] - prior.mean[j];
    for (std::size_t j = 0; j < scales.width; ++j) grown[j] = prior.scale[j] + 0.5 * scatter[j];
    scales.add_squares(away.data(), 0.5 * prior.kappa * weight / (prior.kappa + weight),
                       grown.data());
    cost[c] =
        (prior.shape + more) * (scales.log_size(grown.data()) - before) + more * before -
        scales.times * scales.log_gamma_rise(prior.shape, more) +
        0.5 * static_cast<double>(d) * (std::log1p(weight / prior.kappa) + weight * log_two_pi);
    ticker.tick(static_cast<std::int64_t>(16 + scales.width));
  }
  return cost;
}

}  // namespace

std::vector<double> gaussian_costs(const PointsView& clusters, const GaussianParameters& prior,
                                   CancellationToken& token) {
  const std::size_t d = clusters.dimensions;
  if (prior.covariance == Covariance::full) {
    return costs(MatrixScales(d), clusters, prior, token);
  }
  const VarianceScales scales(d, prior.covariance == Covariance::spherical);
  return costs(scales, clusters, prior, token);
}

}  // namespace powercut
