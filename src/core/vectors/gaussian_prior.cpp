#include "vectors/gaussian_prior.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/minimum.hpp"
#include "vectors/scales.hpp"

namespace powercut {
namespace {

/// A step changes the shape by this factor at most, and finds its logarithm to this tolerance.
constexpr double reach = 8, tolerance = 1e-2;

template <class Scales>
class PriorStep {
 public:
  PriorStep(const Scales& scales, const PointsView& clusters, const GaussianParameters& now,
            const HyperPrior& hyper, CancellationToken& token)
      : scales_(scales),
        clusters_(clusters),
        hyper_(hyper),
        ticker_(token),
        d_(clusters.dimensions),
        k_(clusters.n),
        mean_(now.mean, now.mean + d_),
        kappa_(now.kappa),
        shape_(now.shape),
        scale_(now.scale, now.scale + scales.width),
        precisions_(k_ * scales.width),
        rest_(k_ * scales.width),
        away_(d_),
        one_(scales.width) {}

  EstimatedPrior run() {
    set_precisions();
    update_mean();
    update_kappa();
    update_scale();
    const double cost = update_shape() + kappa_cost();
    return {std::move(mean_), kappa_, shape_, std::move(scale_), cost};
  }

 private:
  const double* difference(std::size_t c) {
    const double* x = clusters_.row(static_cast<Node>(c), row_);
    for (std::size_t j = 0; j < d_; ++j) away_[j] = x[j] - mean_[j];
    return away_.data();
  }

  double weight(std::size_t c) const { return clusters_.weight_of(static_cast<Node>(c)); }

  /// The share of a cluster's own mean in its posterior mean.
  double share(std::size_t c) const { return weight(c) / (kappa_ + weight(c)); }

  /// Sets what each cluster adds to the scale.
  void set_rest() {
    for (std::size_t c = 0; c < k_; ++c) {
      double* rest = &rest_[c * scales_.width];
      const double* scatter = clusters_.scatter_of(static_cast<Node>(c));
      for (std::size_t j = 0; j < scales_.width; ++j) rest[j] = 0.5 * scatter[j];
      scales_.add_squares(difference(c), 0.5 * kappa_ * share(c), rest);
    }
  }

  /// Sets the expected precision of each cluster.
  void set_precisions() {
    set_rest();
    for (std::size_t c = 0; c < k_; ++c) {
      double* precision = &precisions_[c * scales_.width];
      for (std::size_t j = 0; j < scales_.width; ++j) {
        one_[j] = scale_[j] + rest_[c * scales_.width + j];
      }
      scales_.invert(one_.data(), precision);
      const double shape = shape_ + scales_.rate * weight(c);
      for (std::size_t j = 0; j < scales_.width; ++j) precision[j] *= shape;
      tick();
    }
  }

  void update_mean() {
    std::ranges::fill(one_, 0.0);
    std::vector<double> sums(d_, 0.0);
    for (std::size_t c = 0; c < k_; ++c) {
      const double* precision = &precisions_[c * scales_.width];
      for (std::size_t j = 0; j < scales_.width; ++j) one_[j] += share(c) * precision[j];
      scales_.add_product(precision, clusters_.row(static_cast<Node>(c), row_), share(c),
                          sums.data());
    }
    scales_.solve(one_.data(), sums.data());
    mean_ = std::move(sums);
  }

  /// The cost of kappa, linear and concave parts bounded by tangents, has one minimum.
  void update_kappa() {
    double slope = 0;
    for (std::size_t c = 0; c < k_; ++c) {
      const double length = scales_.squared_length(difference(c), &precisions_[c * scales_.width]);
      slope += static_cast<double>(d_) / (kappa_ + weight(c)) + length * share(c) * share(c);
    }
    const double best = static_cast<double>(d_ * k_) / slope;
    kappa_ = std::min(std::max(best, hyper_.least_kappa), hyper_.largest);
  }

  void update_scale() {
    for (std::size_t j = 0; j < scales_.width; ++j) {
      one_[j] = hyper_.weight / shape_ * hyper_.precision[j];
      for (std::size_t c = 0; c < k_; ++c) one_[j] += precisions_[c * scales_.width + j];
    }
    scales_.invert(one_.data(), scale_.data());
    for (double& number : scale_) number *= static_cast<double>(k_) * shape_ + hyper_.weight;
    for (std::size_t j = 0; j < scales_.width; ++j) one_[j] = shape_ * hyper_.floor[j];
    scales_.raise(scale_.data(), one_.data());
  }

  /// Updates the shape, and the scale with it: their ratio, the expected variance, is kept. Returns
  /// the cost of all clusters, without the terms of kappa and of pi.
  double update_shape() {
    set_rest();
    std::vector<double> variance = scale_;
    for (double& number : variance) number /= shape_;
    const double size = scales_.log_size(variance.data());
    double total = 0;
    for (std::size_t c = 0; c < k_; ++c) total += scales_.rate * weight(c);

    const auto cost = [&](double log_shape) {
      const double shape = std::exp(log_shape);
      double sum = 0, gammas = 0;
      for (std::size_t c = 0; c < k_; ++c) {
        const double more = scales_.rate * weight(c);
        const double* rest = &rest_[c * scales_.width];
        for (std::size_t j = 0; j < scales_.width; ++j) one_[j] = variance[j] + rest[j] / shape;
        sum += (shape + more) * (scales_.log_size(one_.data()) - size);
        gammas += scales_.log_gamma_rise(shape, more);
        tick();
      }
      return sum + (scales_.degree * log_shape + size) * total - scales_.times * gammas;
    };

    // On a logarithmic scale, and only where it is lower than here.
    const double least = scales_.least_shape, most = std::max(least, 0.5 * hyper_.largest);
    shape_ = std::clamp(shape_, least, most);
    double lowest = cost(std::log(shape_));
    const double low = std::max(least, shape_ / reach), high = std::min(most, shape_ * reach);
    if (low < high) {
      const auto found = minimum_between(cost, std::log(low), std::log(high), tolerance);
      if (found.value < lowest) {
        lowest = found.value;
        shape_ = std::exp(found.at);
      }
    }
    for (std::size_t j = 0; j < scales_.width; ++j) scale_[j] = shape_ * variance[j];
    return lowest;
  }

  double kappa_cost() const {
    double sum = 0;
    for (std::size_t c = 0; c < k_; ++c) sum += std::log1p(weight(c) / kappa_);
    return 0.5 * static_cast<double>(d_) * sum;
  }

  void tick() { ticker_.tick(static_cast<std::int64_t>(16 + scales_.width)); }

  Scales scales_;
  const PointsView& clusters_;
  const HyperPrior& hyper_;
  Ticker ticker_;
  std::size_t d_;
  std::size_t k_;
  std::vector<double> mean_;
  double kappa_;
  double shape_;
  std::vector<double> scale_;
  std::vector<double> precisions_;  ///< of each cluster
  std::vector<double> rest_;        ///< of each cluster
  std::vector<double> away_;
  std::vector<double> one_;  ///< one scale
  std::vector<double> row_;
};

}  // namespace

EstimatedPrior improve_prior(const PointsView& clusters, const GaussianParameters& now,
                             const HyperPrior& hyper, CancellationToken& token) {
  const std::size_t d = clusters.dimensions;
  if (now.covariance == Covariance::full) {
    return PriorStep(MatrixScales(d), clusters, now, hyper, token).run();
  }
  const VarianceScales scales(d, now.covariance == Covariance::spherical);
  return PriorStep(scales, clusters, now, hyper, token).run();
}

}  // namespace powercut
