#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/log_gamma.hpp"
#include "base/types.hpp"

namespace powercut {

/// Parameters of the Pitman-Yor prior on cluster sizes, and its weight in J.
struct PriorParameters {
  double concentration;
  double discount;
  double tradeoff;
};

/// Values of g below for small sizes. They take as many logarithms, so searches of several levels
/// share them.
using PriorTable = std::vector<double>;

/// No cluster is larger than `total`.
inline std::shared_ptr<const PriorTable> prior_table(double discount, Count total) {
  constexpr Count limit = 1 << 16;
  PriorTable table(static_cast<std::size_t>(std::min<Count>(total + 2, limit)));
  double sum = 0;
  for (std::size_t m = 2; m < table.size(); ++m) {
    sum += std::log(static_cast<double>(m) - 1 - discount);
    table[m] = sum;
  }
  return std::make_shared<const PriorTable>(std::move(table));
}

/// Increments of the size prior, tradeoff * r(Z), when nodes move. Up to a constant r is -log EPPF:
///
///     r = - sum_{j=1}^{k-1} ln(concentration + j discount)  -  sum_c g(n_c)  +  constant
///     g(m) = lnGamma(m - discount) - lnGamma(1 - discount)
///
/// g is tabulated for small sizes and computed from Stirling's series beyond.
class Prior {
 public:
  /// `total` is the number of original nodes: no cluster can be larger. `table` is the one of this
  /// discount and total, if it is known.
  Prior(double concentration, double discount, double tradeoff, Count total,
        std::shared_ptr<const PriorTable> table = nullptr)
      : concentration_(concentration), discount_(discount), tradeoff_(tradeoff), total_(total) {
    if (tradeoff_ == 0) return;
    shared_ = table ? std::move(table) : prior_table(discount, total);
    table_ = *shared_;
    log_gamma_of_one_ = log_gamma::of_large(1 + log_gamma::series_from - discount_);
    for (int j = 0; j < log_gamma::series_from; ++j) {
      log_gamma_of_one_ -= std::log(1 + j - discount_);
    }
  }

  double tradeoff() const { return tradeoff_; }

  /// The part of tradeoff * r that is the same for all partitions; the functions below omit it.
  double constant() const {
    if (tradeoff_ == 0 || total_ == 0) return 0;
    return tradeoff_ * log_gamma::rise(concentration_ + 1, static_cast<double>(total_ - 1));
  }

  /// A node that stands for `moving` original nodes leaves a cluster of `size`, one of `clusters`.
  double leave(Count size, Count moving, Count clusters) const {
    if (tradeoff_ == 0) return 0;
    if (size > moving) return tradeoff_ * rise(size - moving, moving);
    return tradeoff_ * (g(size) + log_new_cluster(clusters - 1));
  }

  /// It joins a cluster of `size` others.
  double join(Count size, Count moving) const {
    return tradeoff_ == 0 ? 0 : -tradeoff_ * rise(size, moving);
  }

  /// It opens a new cluster beside `clusters` others.
  double open(Count moving, Count clusters) const {
    return tradeoff_ == 0 ? 0 : -tradeoff_ * (g(moving) + log_new_cluster(clusters));
  }

  /// tradeoff * r without its constant, from the cluster sizes; empty clusters are skipped.
  template <class Sizes, class Size = std::identity>
  double of_sizes(const Sizes& sizes, Size size_of = {}) const {
    if (tradeoff_ == 0) return 0;
    double sum = 0;
    Count clusters = 0;
    for (const auto& element : sizes) {
      const Count size = std::invoke(size_of, element);
      if (size == 0) continue;
      sum += g(size) + log_new_cluster(clusters++);
    }
    return -tradeoff_ * sum;
  }

 private:
  /// ln(concentration + j discount), the log weight of a new cluster beside j others; the first
  /// cluster has probability 1.
  double log_new_cluster(Count others) const {
    return others == 0 ? 0 : std::log(concentration_ + static_cast<double>(others) * discount_);
  }

  double g(Count m) const {
    if (m < static_cast<Count>(table_.size())) return table_[m];
    return log_gamma::of_large(static_cast<double>(m) - discount_) - log_gamma_of_one_;
  }

  /// g(m + s) - g(m). Beyond the table, a form without cancellation of large values.
  double rise(Count m, Count s) const {
    if (m + s < static_cast<Count>(table_.size())) return table_[m + s] - table_[m];
    if (m <= log_gamma::series_from) return g(m + s) - g(m);
    return log_gamma::rise_of_large(static_cast<double>(m) - discount_, static_cast<double>(s));
  }

  double concentration_;
  double discount_;
  double tradeoff_;
  Count total_;
  double log_gamma_of_one_ = 0;
  std::shared_ptr<const PriorTable> shared_;
  std::span<const double> table_;
};

}  // namespace powercut
