#include "vectors/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace powercut {
namespace {

constexpr std::size_t lanes = CostBounds::lanes;
constexpr float infinity = std::numeric_limits<float>::infinity();
/// The sum of a few of these does not overflow.
constexpr float largest = std::numeric_limits<float>::max() / 4;
/// Features whose q_j are added before they become one factor of the product. Fewer take longer and
/// make the bounds tighter, so that fewer costs are evaluated.
constexpr std::size_t features_per_factor = 4;
/// Upper bounds of the relative rounding error of a few operations, and of the absolute error by
/// underflow in single precision.
constexpr double rounding_part = 0x1p-18, too_small = 0x1p-100;

/// SIMD vectors of n numbers.
template <std::size_t n>
struct Wide {
  typedef float Floats __attribute__((vector_size(n * sizeof(float))));
  typedef std::int32_t Ints __attribute__((vector_size(n * sizeof(float))));
};

/// A tile of points and the clusters whose costs are bounded.
struct Task {
  const float* rows;
  const float* weight;
  std::size_t n_rows;
  std::size_t width;
  std::span<const std::size_t> group_ends;
  const float* coefficients;
  const float* base;
  const float* slope;
  std::size_t stride;
  bool logarithmic;
  float* bounds;
};

/// Bounds for `n_rows` points and a panel of clusters; all sums stay in registers.
template <std::size_t n, std::size_t n_rows>
POWERCUT_INLINE inline void bound(const Task& task, std::size_t first_row, std::size_t panel) {
  using Floats = typename Wide<n>::Floats;
  using Ints = typename Wide<n>::Ints;
  constexpr std::size_t parts = lanes / n;
  const float* rows = task.rows + first_row * task.width;
  const float* coefficients = task.coefficients + panel * task.width * lanes;
  Floats total[n_rows][parts], product[n_rows][parts];
  for (std::size_t r = 0; r < n_rows; ++r) {
    for (std::size_t p = 0; p < parts; ++p) {
      total[r][p] = Floats{};
      product[r][p] = Floats{} + 1;
    }
  }
  std::size_t j = 0;
  for (const std::size_t end : task.group_ends) {
    Floats sum[n_rows][parts];
    for (auto& row : sum) {
      for (Floats& part : row) part = Floats{};
    }
    for (; j < end; ++j) {
      Floats coefficient[parts];
      for (std::size_t p = 0; p < parts; ++p) {
        std::memcpy(&coefficient[p], coefficients + j * lanes + p * n, sizeof(Floats));
      }
      for (std::size_t r = 0; r < n_rows; ++r) {
        const float x = rows[r * task.width + j];
        for (std::size_t p = 0; p < parts; ++p) sum[r][p] += coefficient[p] * x;
      }
    }
    for (std::size_t r = 0; r < n_rows; ++r) {
      for (std::size_t p = 0; p < parts; ++p) {
        // An overflow gives no information.
        const Floats q = (sum[r][p] > 0) & (sum[r][p] <= largest) ? sum[r][p] : Floats{};
        total[r][p] += q;
        product[r][p] *= 1 + q;
      }
    }
  }
  // Every factor and every product may have been rounded up.
  const auto rounded_up = static_cast<std::int32_t>(2 * task.group_ends.size() + 1);
  for (std::size_t p = 0; p < parts; ++p) {
    const std::size_t at = panel * lanes + p * n;
    Floats base, slope;
    std::memcpy(&base, task.base + at, sizeof base);
    std::memcpy(&slope, task.slope + at, sizeof slope);
    for (std::size_t r = 0; r < n_rows; ++r) {
      Floats growth = total[r][p];
      if (task.logarithmic) {
        // Two lower bounds of the sum of ln(1 + q). The first is tight for small q. The second
        // reads the bits of the product as an integer, which is a chord of the logarithm.
        constexpr float log_two_per_bit = 0x1.62e42ep-24f;
        const Floats rational = 2 * growth / (2 + growth);
        const Floats all = product[r][p] <= largest ? product[r][p] : Floats{} + largest;
        const Ints bits = reinterpret_cast<Ints>(all) - 0x3f800000 - rounded_up;
        const Floats chord = __builtin_convertvector(bits, Floats) * log_two_per_bit;
        growth = rational > chord ? rational : chord;
      }
      Floats more = task.weight[first_row + r] * slope * growth;
      more = more <= largest ? more : Floats{};
      const Floats least = base + more;
      std::memcpy(task.bounds + (first_row + r) * task.stride + at, &least, sizeof least);
    }
  }
}

template <std::size_t n, std::size_t n_rows>
POWERCUT_INLINE inline void bound_all(const Task& task) {
  for (std::size_t panel = 0; panel < task.stride / lanes; ++panel) {
    std::size_t row = 0;
    for (; row + n_rows <= task.n_rows; row += n_rows) bound<n, n_rows>(task, row, panel);
    for (; row < task.n_rows; ++row) bound<n, 1>(task, row, panel);
  }
}

void bound_on_any_machine(const Task& task) { bound_all<4, 3>(task); }

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void bound_with_avx2(const Task& task) {
  bound_all<8, 6>(task);
}

const auto bound_here = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                            ? bound_with_avx2
                            : bound_on_any_machine;
#else
const auto bound_here = bound_on_any_machine;
#endif

}  // namespace

CostBounds::CostBounds(std::size_t dimensions, Growth growth)
    : d_(dimensions),
      growth_(growth),
      group_length_(is_round() ? dimensions : features_per_factor),
      origin_(dimensions, 0.0) {
  for (std::size_t first = 0; first < d_; first += group_length_) {
    const std::size_t length = std::min(group_length_, d_ - first);
    width_ += length + (is_round() ? 1 : length) + 1;
    group_ends_.push_back(width_);
  }
}

void CostBounds::reset(std::span<const double> means, std::span<const double> weights) {
  std::ranges::fill(origin_, 0.0);
  double total = 0, squares = 0;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    if (!(weights[c] > 0)) continue;
    total += weights[c];
    for (std::size_t j = 0; j < d_; ++j) {
      origin_[j] += weights[c] / total * (means[c * d_ + j] - origin_[j]);
    }
  }
  for (std::size_t c = 0; c < weights.size(); ++c) {
    if (!(weights[c] > 0)) continue;
    squares += weights[c] / total * squared_distance(&means[c * d_], origin_.data(), d_);
  }
  // Powers of two cause no rounding.
  scale_ =
      squares > 0 && std::isfinite(squares) ? std::exp2(-std::round(std::log2(squares) / 2)) : 1;
  unit_ = growth_ == Growth::sum ? scale_ * scale_ : 1;
  base_.clear();
  grow(static_cast<Label>(weights.size()));
}

void CostBounds::grow(Label clusters) {
  const std::size_t before = stride();
  const std::size_t panels = (static_cast<std::size_t>(clusters) + lanes - 1) / lanes;
  if (panels * lanes <= before) return;
  coefficients_.resize(panels * lanes * width_);
  base_.resize(panels * lanes);
  slope_.resize(panels * lanes);
  for (std::size_t c = before; c < stride(); ++c) remove(static_cast<Label>(c));
}

void CostBounds::set(Label c, const ClusterBound& bound) {
  grow(c + 1);
  // An upper bound of the relative rounding error of a sum of so many products.
  const double kept = 1 - (static_cast<double>(width_) + 16) * 0x1p-23;
  const double factor = bound.factor / (growth_ == Growth::sum ? 1 : scale_ * scale_);
  const auto precision = [&](std::size_t j) {
    return factor * (bound.precision == nullptr ? 1 : bound.precision[j]);
  };
  float* column = &coefficients_[c / lanes * width_ * lanes + c % lanes];
  const auto put = [&](double value) {
    *column = static_cast<float>(value);
    column += lanes;
  };
  for (std::size_t first = 0; first < d_; first += group_length_) {
    const std::size_t last = std::min(first + group_length_, d_);
    double fixed = 0;
    for (std::size_t j = first; j < last; ++j) {
      const double m = (bound.mean[j] - origin_[j]) * scale_;
      put(-2 * precision(j) * m);
      fixed += precision(j) * m * m;
    }
    for (std::size_t j = first; j < (is_round() ? first + 1 : last); ++j) put(kept * precision(j));
    put(kept * fixed - too_small);
  }
  const double base = in_units(bound.base);
  const double lower = base - rounding_part * std::abs(base) - too_small;
  // NaN (infinity - infinity) gives no information.
  base_[c] = std::isnan(lower) ? -infinity
                               : static_cast<float>(std::min(lower, static_cast<double>(largest)));
  slope_[c] = static_cast<float>((1 - rounding_part) * bound.slope);
}

void CostBounds::remove(Label c) {
  slope_[c] = 0;
  base_[c] = infinity;
}

Label CostBounds::lowest(std::span<const float> bounds, double limit) {
  float least[lanes];
  std::ranges::fill(least, infinity);
  for (std::size_t first = 0; first < bounds.size(); first += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      least[lane] = std::min(least[lane], bounds[first + lane]);
    }
  }
  const float lowest = std::ranges::min(least);
  if (!(lowest < limit)) return -1;
  return static_cast<Label>(std::ranges::find(bounds, lowest) - bounds.begin());
}

void CostBounds::evaluate(const PointsView& points, std::span<const Node> rows, Tile& tile) const {
  tile.rows.resize(rows.size() * width_);
  tile.weight.resize(rows.size());
  tile.bounds.resize(rows.size() * stride());
  float* at = tile.rows.data();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double* x = points.row(rows[r], tile.buffer);
    for (std::size_t first = 0; first < d_; first += group_length_) {
      const std::size_t length = std::min(group_length_, d_ - first);
      double sum = 0;
      for (std::size_t j = 0; j < length; ++j) {
        const double away = (x[first + j] - origin_[first + j]) * scale_;
        at[j] = static_cast<float>(away);
        if (!is_round()) at[length + j] = static_cast<float>(away * away);
        sum += away * away;
      }
      at += is_round() ? length : 2 * length;
      if (is_round()) *at++ = static_cast<float>(sum);
      *at++ = 1;
    }
    tile.weight[r] = static_cast<float>(points.weight_of(rows[r]));
  }
  bound_here({tile.rows.data(), tile.weight.data(), rows.size(), width_, group_ends_,
              coefficients_.data(), base_.data(), slope_.data(), stride(), growth_ != Growth::sum,
              tile.bounds.data()});
}

}  // namespace powercut
