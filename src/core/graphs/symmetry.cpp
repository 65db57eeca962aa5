#include "graphs/symmetry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace powercut {
namespace {

/// A probabilistic test: entries and their mirror images cancel in a sum of random numbers, one per
/// pair of nodes and weight. A false positive has probability 2^-64.
bool mirrors_cancel(const GraphView& graph, Ticker& ticker) {
  std::uint64_t sum = 0;
  for (Node i = 0; i < graph.rows(); ++i) {
    graph.for_each(i, [&](Node j, double w) POWERCUT_INLINE {
      const std::uint64_t low = static_cast<std::uint64_t>(std::min(i, j));
      const std::uint64_t high = static_cast<std::uint64_t>(std::max(i, j));
      const std::uint64_t pair = low << 32 | high;
      const std::uint64_t number = Random(pair ^ std::bit_cast<std::uint64_t>(w)).bits();
      sum += i < j ? number : i > j ? -number : 0;
    });
    ticker.tick(1 + graph.length(i));
  }
  return sum == 0;
}

}  // namespace

std::optional<Position> first_asymmetry(const GraphView& graph, double tolerance,
                                        CancellationToken& token) {
  Ticker ticker(token);
  if (mirrors_cancel(graph, ticker)) return std::nullopt;
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
