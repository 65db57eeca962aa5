#include "checks.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace powercut {

std::optional<Position> first_asymmetry(const GraphView& graph, double tolerance, Cancel& cancel) {
  // Row j meets its columns i in ascending order while the rows i go by, so one
  // cursor a row is enough to find the mirror image of every entry.
  Ticker ticker(cancel);
  std::vector<Entry> met(graph.rows(), 0);
  std::optional<Position> found;
  for (Node i = 0; i < graph.rows() && !found; ++i) {
    graph.for_each(i, [&](Node j, double w) {
      if (found) return;
      const Entry at = met[j]++;
      if (at >= graph.length(j) || graph.neighbour(j, at) != i) {
        // The cursor stands on the first entry of row j that no row answered.
        const bool earlier = at < graph.length(j) && graph.neighbour(j, at) < i;
        found = earlier ? Position{j, graph.neighbour(j, at)} : Position{i, j};
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
