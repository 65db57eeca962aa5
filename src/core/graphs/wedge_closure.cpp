#include "graphs/wedge_closure.hpp"

#include <algorithm>
#include <cmath>

#include "base/types.hpp"

namespace powercut {
namespace {

/// So few are sooner divided than looked at.
constexpr Node few = 1024;
/// Wedges are looked at until so many would be closed in a cluster that is one.
constexpr double closed_by_chance = 100;

/// How often something was seen that chance alone would show, too.
struct Sightings {
  double seen = 0;
  double expected = 0;
  double variance = 0;

  /// Whether chance alone would hardly have shown so many.
  bool are_more_than_chance(double sigmas, double least) const {
    return seen > expected + least + sigmas * std::sqrt(variance);
  }
};

}  // namespace

bool may_have_clusters(const OwnedGraph& graph, Random& random, Ticker& ticker) {
  const Node n = static_cast<Node>(graph.volume.size());
  if (!graph.weights.empty() || n <= few) return true;
  const double entries = static_cast<double>(graph.indices.size());
  const auto degree = [&](Node i) { return graph.offsets[i + 1] - graph.offsets[i]; };
  const Entry wedges_of_each = 1 + static_cast<Entry>(closed_by_chance * n / (1 + entries));
  Sightings single, twins, triplets;
  for (Node middle = 0; middle < n; ++middle) {
    const Entry d = degree(middle);
    if (d < 2) continue;
    const Node* neighbours = graph.indices.data() + graph.offsets[middle];
    // Neighbours that stand some places apart in the row, round the row: no wedge comes twice.
    const Entry apart = 1 + static_cast<Entry>(random.below((d + 1) / 2));
    const Entry first = static_cast<Entry>(random.below(d));
    const Entry wedges = std::min(wedges_of_each, 2 * apart == d ? apart : d);
    ticker.tick(1 + 16 * wedges);  // edges all over the memory
    double closed = 0, expected = 0;
    for (Entry w = 0; w < wedges; ++w) {
      const Node one = neighbours[(first + w) % d];
      const Node other = neighbours[(first + w + apart) % d];
      if (one == middle || other == middle) continue;
      expected += std::min(1.0, static_cast<double>(degree(one) * degree(other)) / entries);
      closed += std::binary_search(graph.indices.data() + graph.offsets[one],
                                   graph.indices.data() + graph.offsets[one + 1], other);
    }
    const double drawn = static_cast<double>(wedges), p = expected / drawn, p3 = p * p * p;
    const double pairs = drawn * (drawn - 1) / 2, triples = pairs * (drawn - 2) / 3;
    single.seen += closed;
    single.expected += expected;
    single.variance += expected;
    twins.seen += closed * (closed - 1) / 2;
    twins.expected += pairs * p * p;
    twins.variance += pairs * (p * p + 2 * (drawn - 2) * p3) * (1 - p);
    triplets.seen += closed * (closed - 1) * (closed - 2) / 6;
    triplets.expected += triples * p3;
    triplets.variance +=
        triples * p3 * (1 + 3 * (drawn - 3) * p * (1 + 0.5 * (drawn - 4) * p)) * (1 - p);
  }
  return single.are_more_than_chance(2, 0) || twins.are_more_than_chance(3, 1) ||
         triplets.are_more_than_chance(3, 1);
}

}  // namespace powercut
