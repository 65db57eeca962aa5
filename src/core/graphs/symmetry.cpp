#include "graphs/symmetry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/process_key.hpp"
#include "base/random.hpp"

namespace powercut {
namespace {

/// One random number per node, x, and one per weight, c; all uniform modulo 2^64.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t key)
      : nodes_(Random::bits_at(key, 0)), weights_(Random::bits_at(key, 1)) {}

  std::uint64_t of_node(Node i) const {
    return Random::bits_at(nodes_, static_cast<std::uint64_t>(i));
  }
  std::uint64_t of_weight(double w) const {
    return Random::bits_at(weights_, std::bit_cast<std::uint64_t>(w));
  }

 private:
  std::uint64_t nodes_, weights_;
};

/// A probabilistic test: whether the sum over all entries (i, j, w) of sign(j - i) x_i x_j c(w) is
/// zero modulo 2^64, for two independent sets of random numbers. In a symmetric matrix each entry
/// cancels its mirror image, so "no" is certain.
///
/// "Yes" is wrong with probability below 2^-106, whatever the matrix. The sum is that of
/// D_ij x_i x_j over all i < j, where D_ij = c(a_ij) - c(a_ji), and c is 0 for absent entries.
/// Let a_ij != a_ji. Then D_ij is uniform, so 2^t is the largest power of two that divides it with
/// probability 2^-(t+1). As a function of x_i the sum is x_i y + z. Here y = D_ij x_j + ..., and
/// the terms left out do not depend on x_j, so 2^s divides y with probability at most 2^(t-s), for
/// s > t. If it is the largest such power, x_i y + z = 0 has at most 2^s solutions x_i of 2^64. In
/// all, sum_{t=0..63} 2^-(t+1) [2^t + sum_{s=t+1..64} 2^(t-s) 2^s] / 2^64 + 2^-64 = 1073 / 2^64
/// < 2^-53, and the two tests are wrong together with the square of it.
bool mirrors_cancel(const GraphView& graph, const HashKey& key, Ticker& ticker) {
  const RandomNumbers one(key.first), two(key.second);
  std::uint64_t sum_one = 0, sum_two = 0;
  for (Node i = 0; i < graph.rows(); ++i) {
    std::uint64_t row_one = 0, row_two = 0;
    graph.for_each(i, [&](Node j, double w) POWERCUT_INLINE {
      const std::uint64_t term_one = one.of_node(j) * one.of_weight(w);
      const std::uint64_t term_two = two.of_node(j) * two.of_weight(w);
      row_one += i < j ? term_one : i > j ? -term_one : 0;
      row_two += i < j ? term_two : i > j ? -term_two : 0;
    });
    sum_one += one.of_node(i) * row_one;
    sum_two += two.of_node(i) * row_two;
    ticker.tick(1 + graph.length(i));
  }
  return sum_one == 0 && sum_two == 0;
}

}  // namespace

std::optional<Position> first_asymmetry(const GraphView& graph, double tolerance,
                                        CancellationToken& token) {
  Ticker ticker(token);
  if (mirrors_cancel(graph, process_key(), ticker)) return std::nullopt;
  // As the rows i are read in order, row j meets its columns i in ascending order, so one cursor
  // per row finds the mirror image of every entry.
  std::vector<Entry> met(graph.rows(), 0);
  std::optional<Position> found;
  for (Node i = 0; i < graph.rows() && !found; ++i) {
    graph.for_each(i, [&](Node j, double w) {
      if (found) return;
      const Entry at = met[j]++;
      if (at >= graph.length(j) || graph.neighbor(j, at) != i) {
        // The cursor is at the first entry of row j without a mirror image so far.
        const bool earlier = at < graph.length(j) && graph.neighbor(j, at) < i;
        found = earlier ? Position{j, graph.neighbor(j, at)} : Position{i, j};
        return;
      }
      const double mirror = graph.weight(j, at);
      if (std::abs(w - mirror) > tolerance * std::max(std::abs(w), std::abs(mirror))) {
        found = Position{i, j};
      }
    });
    ticker.tick(1 + graph.length(i));
  }
  return found;
}

}  // namespace powercut
