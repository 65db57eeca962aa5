#include "graphs/lanczos.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/large_pages.hpp"

namespace powercut {
namespace {

/// Sums are made over so many nodes at a time.
constexpr std::int64_t nodes_per_range = 512;

/// Sums over nodes, made range by range.
template <std::size_t n_sums>
class RangeSums {
 public:
  using Sums = std::array<double, n_sums>;

  explicit RangeSums(Node n) : n_(n), of_range_((n + nodes_per_range - 1) / nodes_per_range) {}

  /// The sums of terms(thread, node).
  template <class Terms>
  Sums of(Terms&& terms, ThreadTeam& team) {
    team.for_ranges(n_, nodes_per_range, [&](int thread, std::int64_t begin, std::int64_t end) {
      Sums sums{};
      for (Node node = static_cast<Node>(begin); node < end; ++node) {
        add(terms(thread, node), sums);
      }
      of_range_[begin / nodes_per_range] = sums;
    });
    Sums all{};
    for (const Sums& sums : of_range_) add(sums, all);
    return all;
  }

 private:
  static void add(const Sums& some, Sums& sums) {
    for (std::size_t s = 0; s < n_sums; ++s) sums[s] += some[s];
  }

  Node n_;
  std::vector<Sums> of_range_;
};

}  // namespace

Tridiagonal lanczos(const GraphView& graph, std::span<const double> scale, double unit,
                    std::span<const float> known, std::span<const float> start, int n_steps,
                    double shortest, ThreadTeam& team, Ticker& ticker) {
  const Node n = graph.rows();
  RangeSums<1> one_sum(n);
  RangeSums<3> three_sums(n);
  // The vector y and the one before, neither of them divided by its length, and S y. Once it is no
  // longer needed, the one before holds the next.
  LargeVector<float> y(n), before(n, 0), scaled(n);

  const double known_part =
      one_sum.of([&](int, Node i) { return std::array{double{known[i]} * start[i]}; }, team)[0];
  double length = std::sqrt(one_sum.of(
      [&](int, Node i) {
        y[i] = static_cast<float>(start[i] - known_part * known[i]);
        scaled[i] = static_cast<float>(scale[i] * y[i]);
        return std::array{double{y[i]} * y[i]};
      },
      team)[0]);
  double length_before = 1;

  Tridiagonal found;
  for (int step = 0; step < n_steps && length >= shortest; ++step) {
    const double of_before = length / length_before;
    const std::array<double, 3> sums = three_sums.of(
        [&](int thread, Node i) {
          double sum = 0;
          graph.for_each(i,
                         [&](Node other, double w) POWERCUT_INLINE { sum += w * scaled[other]; });
          if (thread == 0) ticker.tick(1 + graph.length(i));
          const double product = scale[i] * (sum / unit) / length;
          const double now = y[i] / length;
          const double rest = product - of_before * before[i];
          before[i] = static_cast<float>(rest);
          return std::array{now * product, known[i] * rest, known[i] * now};
        },
        team);
    const double along = sums[0], known_rest = sums[1], known_now = sums[2];
    if (step > 0) found.beside.push_back(length);
    found.diagonal.push_back(along);
    const double of_known = known_rest - along * known_now;
    length_before = length;
    length = std::sqrt(one_sum.of(
        [&](int, Node i) {
          const double next = before[i] - along * (y[i] / length_before) - of_known * known[i];
          before[i] = static_cast<float>(next);
          scaled[i] = static_cast<float>(scale[i] * next);
          return std::array{next * next};
        },
        team)[0]);
    std::swap(y, before);
  }
  return found;
}

}  // namespace powercut
