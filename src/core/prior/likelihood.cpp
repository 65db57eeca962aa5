#include "prior/likelihood.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "base/digamma.hpp"
#include "base/log_gamma.hpp"
#include "base/log_product.hpp"
#include "base/root.hpp"

namespace powercut {
namespace {

// Bounds of the search. The likelihoods of one cluster, and of singletons only, have no maximum
// inside the parameter space. `first` is concentration + discount, the weight of opening a second
// cluster, which is positive for every valid prior.
constexpr double max_discount = 1 - 1e-6;
constexpr double min_first = 1e-6, max_first = 1e9;

/// No partition tried had a second peak of the likelihood along the discount. There is no proof
/// that none has, so every cell of this grid is searched.
constexpr std::array discounts{0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, max_discount};

double to_double(Count count) { return static_cast<double>(count); }

/// The likelihood of k clusters of n points as a function of `first`, at a given discount.
class OverFirst {
 public:
  OverFirst(Count k, Count n) : k_(k), n_(n) {
    const double others = to_double(k) - 1;
    if (k > 1) log_best_ = std::log(others / std::log1p(to_double(n) / others));
  }

  /// The most likely `first`. Begins at that of the last call, which should be near.
  double best(double discount) {
    if (k_ == 1) return min_first;
    if (k_ == n_) return max_first;  // the likelihood rises all along, but less than rounding
    // The logarithm of the quotient of the two terms of the derivative: almost a straight line.
    const auto excess = [&](double log_first) {
      const double first = std::exp(log_first);
      return std::log(new_cluster_sums(first, discount, k_).inverse /
                      digamma::rise(first - discount + 1, n_ - 1));
    };
    const double low = std::log(min_first), high = std::log(max_first);
    log_best_ = std::clamp(log_best_, low, high);
    PointOfFunction end{log_best_, excess(log_best_)}, start = end;
    for (double step = 0.25; end.value > 0; step *= 4) {
      if (end.at == high) return max_first;
      start = end;
      end.at = std::min(start.at + step, high);
      end.value = excess(end.at);
    }
    if (start.at == end.at) {
      for (double step = 0.25; start.value <= 0; step *= 4) {
        if (start.at == low) return min_first;
        end = start;
        start.at = std::max(end.at - step, low);
        start.value = excess(start.at);
      }
    }
    log_best_ = root_between(excess, start, end, 1e-12);
    return std::exp(log_best_);
  }

 private:
  Count k_, n_;
  double log_best_ = 0;
};

/// The sum of psi(size - discount) - psi(1 - discount) over all clusters.
double digamma_rises(const SizeHistogram& sizes, double discount) {
  double rise = 0, sum = 0;
  Count at = 1;
  for (const auto& [size, clusters] : sizes.bins()) {
    rise += digamma::rise(to_double(at) - discount, size - at);
    sum += to_double(clusters) * rise;
    at = size;
  }
  return sum;
}

/// The sum of lnGamma(size - discount) - lnGamma(1 - discount) over all clusters but one of the
/// largest.
double log_gamma_rises(const SizeHistogram& sizes, double discount) {
  double product = 1, sum = 0;
  Count at = 1;
  const auto multiply_to = [&](Count size) {
    for (; at < size; ++at) product *= to_double(at) - discount;
    return std::log(product);
  };
  constexpr Count small = 16;  // from here on the series is exact to rounding
  const std::span<const SizeHistogram::Bin> bins = sizes.bins();
  std::size_t b = 0;
  const auto others = [&] { return to_double(bins[b].clusters - (b + 1 == bins.size())); };
  for (; b < bins.size() && bins[b].size <= small; ++b) sum += others() * multiply_to(bins[b].size);
  const double of_one = log_gamma::of_large(small - discount) - multiply_to(small);
  for (; b < bins.size(); ++b) {
    sum += others() * (log_gamma::of_large(to_double(bins[b].size) - discount) - of_one);
  }
  return sum;
}

}  // namespace

SizeHistogram::SizeHistogram(std::span<const Count> sizes)
    : clusters_(static_cast<Count>(sizes.size())) {
  // Most clusters are small. They are counted, so that only the large ones need sorting.
  const Count small = std::min<Count>(clusters_ + 64, 1 << 14);
  std::vector<Count> count(small, 0), large;
  for (const Count size : sizes) {
    points_ += size;
    if (size < small) {
      ++count[size];
    } else {
      large.push_back(size);
    }
  }
  for (Count size = 1; size < small; ++size) {
    if (count[size] > 0) bins_.push_back({size, count[size]});
  }
  std::ranges::sort(large);
  for (const Count size : large) {
    if (bins_.empty() || bins_.back().size != size) bins_.push_back({size, 0});
    ++bins_.back().clusters;
  }
}

NewClusterSums new_cluster_sums(double first, double discount, Count k) {
  constexpr Count few = 16;
  if (k <= few) {
    NewClusterSums sums{0, 0};
    for (Count j = 0; j < k - 1; ++j) {
      const double inverse = 1 / (first + to_double(j) * discount);
      sums.inverse += inverse;
      sums.weighted += to_double(j) * inverse;
    }
    return sums;
  }
  const double m = to_double(k - 1), ratio = discount / first;
  if (m * ratio < 1e-5) {
    // The closed form below would cancel; the series is exact to 1e-10 here.
    const double sum_j = m * (m - 1) / 2, sum_jj = (m - 1) * m * (2 * m - 1) / 6;
    const double weighted = sum_j - ratio * sum_jj;
    return {(m - ratio * weighted) / first, weighted / first};
  }
  const double later = digamma::rise(first / discount + 1, k - 2) / discount;  // all but j = 0
  return {1 / first + later, (m - 1 - first * later) / discount};
}

double log_prob(const PitmanYor& prior, const SizeHistogram& sizes) {
  if (sizes.clusters() == 0) return 0;
  const double alpha = prior.concentration, theta = prior.discount;
  constexpr auto rise = log_gamma::rise<16>;
  const double n = to_double(sizes.points()), largest = to_double(sizes.bins().back().size);
  const std::size_t opening = static_cast<std::size_t>(sizes.clusters() - 1);
  double sum = log_product::sum_of_logs(
      opening, [&](std::size_t j) { return alpha + theta * static_cast<double>(j + 1); });
  sum += log_gamma_rises(sizes, theta);
  // The factors of the largest cluster nearly cancel the denominator. Compute their quotient as one
  // difference, over the concentration or the cluster, whichever is smaller.
  if (alpha < largest) {
    return sum +
           (rise(1 - theta, alpha + theta) - rise(largest - theta, alpha + theta + (n - largest)));
  }
  return sum + (rise(1 - theta, largest - 1) - rise(1 + alpha, n - 1));
}

PitmanYor most_likely_prior(const SizeHistogram& sizes) {
  const Count k = sizes.clusters(), n = sizes.points();
  OverFirst over_first(k, n);
  // The derivative of the log-likelihood in the discount, at the best `first` for it.
  const auto slope = [&](double discount) {
    const double first = over_first.best(discount);
    return new_cluster_sums(first, discount, k).weighted +
           digamma::rise(first - discount + 1, n - 1) - digamma_rises(sizes, discount);
  };

  std::vector<PitmanYor> peaks;
  const auto add = [&](double discount) {
    peaks.push_back({over_first.best(discount) - discount, discount});
  };
  PointOfFunction before{discounts.front(), slope(discounts.front())};
  if (before.value <= 0) add(before.at);
  for (std::size_t i = 1; i < discounts.size(); ++i) {
    const PointOfFunction here{discounts[i], slope(discounts[i])};
    if (before.value > 0 && here.value <= 0) add(root_between(slope, before, here, 1e-10));
    before = here;
  }
  if (before.value > 0) add(before.at);
  if (peaks.size() == 1) return peaks.front();
  return *std::ranges::max_element(peaks, {},
                                   [&](const PitmanYor& prior) { return log_prob(prior, sizes); });
}

double most_likely_concentration(double discount, Count k, Count n) {
  return OverFirst(k, n).best(discount) - discount;
}

}  // namespace powercut
