#include "vectors/log_growth.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/log_product.hpp"
#include "base/types.hpp"

namespace powercut {
namespace {

using log_product::chunk, log_product::largest;

constexpr std::size_t lanes = chunk / 2;
/// Features that are multiplied before the product is compared with the bound.
constexpr std::size_t chunks = 4, block_size = chunks * chunk;
/// One instruction each with AVX2, two without.
typedef double Doubles __attribute__((vector_size(lanes * sizeof(double))));

POWERCUT_INLINE inline void load(Doubles& values, const double* from) {
  std::memcpy(&values, from, sizeof values);
}

POWERCUT_INLINE inline double q(const VarianceGrowth& growth, std::size_t j) {
  const double away = growth.x[j] - growth.mean[j];
  const double scatter = growth.scatter == nullptr ? 0 : growth.scatter[j];
  return (growth.factor * away * away + 0.5 * scatter) * growth.precision[j];
}

/// Multiplies `product` by all factors of a block, chunk by chunk; returns false if it might
/// overflow.
template <bool scattered>
POWERCUT_INLINE inline bool multiply_block(const VarianceGrowth& growth, std::size_t first,
                                           double& product) {
  double more[chunks];
  for (std::size_t i = 0; i < chunks; ++i) {
    const std::size_t j = first + i * chunk;
    Doubles both{1, 1, 1, 1};
    for (std::size_t half = j; half < j + chunk; half += lanes) {
      Doubles x, mean, precision;
      load(x, growth.x + half);
      load(mean, growth.mean + half);
      load(precision, growth.precision + half);
      Doubles wider = growth.factor * (x - mean) * (x - mean);
      if constexpr (scattered) {
        Doubles scatter;
        load(scatter, growth.scatter + half);
        wider += 0.5 * scatter;
      }
      both *= 1 + wider * precision;
    }
    more[i] = (both[0] * both[1]) * (both[2] * both[3]);
  }
  double before = product;  // no factor is below 1: if the last product is small, so are all
  for (std::size_t i = 0; i + 1 < chunks; ++i) before *= more[i];
  if (!(before < largest && more[chunks - 1] < largest)) return false;
  product = before * more[chunks - 1];
  return true;
}

template <bool scattered>
POWERCUT_INLINE inline double sum(const VarianceGrowth& growth, double bound) {
  double logs = 0, product = 1;
  for (std::size_t first = 0; first < growth.d;) {
    // A test after each chunk would take as long as the chunk.
    if (first + block_size <= growth.d && multiply_block<scattered>(growth, first, product)) {
      first += block_size;
    } else {
      const std::size_t length = std::min(chunk, growth.d - first);
      const double more = log_product::of_chunk(
          length, [&](std::size_t j) POWERCUT_INLINE { return 1 + q(growth, first + j); });
      if (more < largest && product < largest) {
        product *= more;
      } else {
        logs += std::log(product);
        product = 1;
        for (std::size_t j = 0; j < length; ++j) logs += std::log1p(q(growth, first + j));
      }
      first += length;
    }
    if (log_product::surely_passes(product, bound - logs)) {
      return std::numeric_limits<double>::infinity();
    }
  }
  return logs + std::log(product);
}

POWERCUT_INLINE inline double sum(const VarianceGrowth& growth, double bound) {
  return growth.scatter == nullptr ? sum<false>(growth, bound) : sum<true>(growth, bound);
}

double sum_on_any_machine(const VarianceGrowth& growth, double bound) { return sum(growth, bound); }

#if defined(__x86_64__)
__attribute__((target("avx2"))) double sum_with_avx2(const VarianceGrowth& growth, double bound) {
  return sum(growth, bound);
}

const auto sum_here = __builtin_cpu_supports("avx2") ? sum_with_avx2 : sum_on_any_machine;
#else
const auto sum_here = sum_on_any_machine;
#endif

}  // namespace

double log_growth(const VarianceGrowth& growth, double bound) { return sum_here(growth, bound); }

void log_growths(const GrowingClusters& clusters, const double* x, std::size_t n, double* growth,
                 Ticker& ticker) {
  constexpr std::size_t together = 64;  // points that stay in the cache while clusters are read
  constexpr double never = std::numeric_limits<double>::infinity();
  const std::size_t d = clusters.d, k = clusters.factor.size();
  for (std::size_t first = 0; first < n; first += together) {
    const std::size_t last = std::min(first + together, n);
    for (std::size_t c = 0; c < k; ++c) {
      const double *mean = clusters.mean + c * d, *precision = clusters.precision + c * d;
      for (std::size_t i = first; i < last; ++i) {
        growth[i * k + c] =
            log_growth({d, x + i * d, mean, nullptr, precision, clusters.factor[c]}, never);
      }
      ticker.tick(static_cast<std::int64_t>((last - first) * d));
    }
  }
}

}  // namespace powercut
