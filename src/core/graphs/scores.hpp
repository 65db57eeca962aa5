#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/log_bound.hpp"
#include "base/types.hpp"

namespace powercut {

/// The sums that a score may use; all four are additive over nodes.
struct ClusterStats {
  double inside = 0;  ///< internal weight: an edge between two nodes counts twice, a self-loop once
  double volume = 0;  ///< sum of degrees
  double weight = 0;  ///< sum of node weights; the count if nodes have none
  Count count = 0;    ///< number of original nodes
};

/// A score is the cost of one cluster: lower is better, and an empty cluster costs nothing. Each
/// has a Python class of the same name, which states the formula; `parameters` have the order of
/// that class's `parameters()`. A cheap one has neither branches nor divisions or logarithms.

struct NCut {
  static constexpr bool is_cheap = false;
  double shift;
  explicit NCut(std::span<const double, 1> parameters) : shift(parameters[0]) {}
  double operator()(const ClusterStats& c) const {
    return c.volume > 0 ? -c.inside / c.volume - shift : -shift;
  }
};

struct RCut {
  static constexpr bool is_cheap = false;
  double shift;
  explicit RCut(std::span<const double, 1> parameters) : shift(parameters[0]) {}
  double operator()(const ClusterStats& c) const {
    return (c.volume - c.inside) / c.weight - shift;
  }
};

struct RAssoc {
  static constexpr bool is_cheap = false;
  double shift;
  explicit RAssoc(std::span<const double, 1> parameters) : shift(parameters[0]) {}
  double operator()(const ClusterStats& c) const { return -c.inside / c.weight - shift; }
};

struct Modularity {
  static constexpr bool is_cheap = true;
  double scale;  // resolution / total weight
  explicit Modularity(std::span<const double, 1> parameters) : scale(parameters[0]) {}
  double operator()(const ClusterStats& c) const { return scale * c.volume * c.volume - c.inside; }
};

struct CPM {
  static constexpr bool is_cheap = true;
  double resolution;
  explicit CPM(std::span<const double, 1> parameters) : resolution(parameters[0]) {}
  double operator()(const ClusterStats& c) const {
    return resolution * c.weight * c.weight - c.inside;
  }
};

struct Likelihood {
  static constexpr bool is_cheap = false;
  double background;  // expected weight of a pair of size 1
  bool degree_corrected;
  bool self_loops;
  double unit;  // counts per unit of weight
  explicit Likelihood(std::span<const double, 4> parameters)
      : background(parameters[0]),
        degree_corrected(parameters[1] != 0),
        self_loops(parameters[2] != 0),
        unit(parameters[3]) {}
  double operator()(const ClusterStats& c) const {
    const double expected = expected_inside(c);
    if (c.inside <= expected || expected <= 0) return 0;
    return -0.5 * unit * (c.inside * std::log(c.inside / expected) - c.inside + expected);
  }
  /// A lower bound of the score, faster than the score itself.
  double at_least(const ClusterStats& c) const { return bound(c.inside, expected_inside(c)); }
  /// The bounds of two clusters.
  DoublePair at_least(const ClusterStats& one, const ClusterStats& other) const {
    return bound(DoublePair{one.inside, other.inside},
                 DoublePair{expected_inside(one), expected_inside(other)});
  }

 private:
  template <class Real>
  POWERCUT_INLINE Real bound(Real inside, Real expected) const {
    const auto is_dense = (inside > expected) & (expected > 0);
    const Real ratio = is_dense ? inside / expected : Real{} + 1;
    const Real gain = 0.5 * unit * (inside * log_bound(ratio) - inside + expected);
    return is_dense ? -gain : Real{};
  }

  double expected_inside(const ClusterStats& c) const {
    const double size = degree_corrected ? c.volume : static_cast<double>(c.count);
    const double self_pairs = self_loops ? 0 : degree_corrected ? c.weight : size;
    return background * (size * size - self_pairs);
  }
};

struct Bernoulli {
  static constexpr bool is_cheap = false;
  double background;  // probability of an edge
  explicit Bernoulli(std::span<const double, 1> parameters) : background(parameters[0]) {}
  double operator()(const ClusterStats& c) const {
    const double size = static_cast<double>(c.count);
    const double pairs = size * (size - 1);
    if (c.inside <= background * pairs) return 0;
    const double none = pairs - c.inside;
    const double p = c.inside / pairs;
    const double of_none = none > 0 ? none * std::log((1 - p) / (1 - background)) : 0;
    return -0.5 * (c.inside * std::log(p / background) + of_none);
  }
};

/// The parameters of a score that takes N of them.
template <std::size_t N>
std::span<const double, N> exactly(std::span<const double> parameters) {
  if (parameters.size() != N) throw std::invalid_argument("wrong number of score parameters");
  return std::span<const double, N>(parameters.data(), N);
}

/// Calls body(score) with the named score. New scores are added here.
template <class Body>
auto with_score(std::string_view name, std::span<const double> parameters, Body&& body) {
  if (name == "ncut") return body(NCut(exactly<1>(parameters)));
  if (name == "rcut") return body(RCut(exactly<1>(parameters)));
  if (name == "rassoc") return body(RAssoc(exactly<1>(parameters)));
  if (name == "modularity") return body(Modularity(exactly<1>(parameters)));
  if (name == "cpm") return body(CPM(exactly<1>(parameters)));
  if (name == "likelihood") return body(Likelihood(exactly<4>(parameters)));
  if (name == "bernoulli") return body(Bernoulli(exactly<1>(parameters)));
  throw std::invalid_argument("no score named " + std::string(name));
}

}  // namespace powercut
