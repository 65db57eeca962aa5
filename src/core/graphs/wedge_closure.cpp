#include "graphs/wedge_closure.hpp"

#include <algorithm>
#include <cmath>

#include "base/types.hpp"

namespace powercut {
namespace {

/// Smaller graphs are divided faster than tested.
constexpr Node max_small_graph = 1024;
/// The expected number of closed wedges in the sample if the graph has no clusters.
constexpr double closed_by_chance = 100;

/// A count with its mean and variance under the null model.
struct Excess {
  double observed = 0;
  double expected = 0;
  double variance = 0;

  /// Whether the count is significantly larger than expected.
  bool is_significant(double sigmas, double least) const {
    return observed > expected + least + sigmas * std::sqrt(variance);
  }
};

}  // namespace

bool may_have_clusters(const OwnedGraph& graph, Random& random, Ticker& ticker) {
  const Node n = static_cast<Node>(graph.volume.size());
  if (!graph.weights.empty() || n <= max_small_graph) return true;
  const double entries = static_cast<double>(graph.indices.size());
  const auto degree = [&](Node i) { return graph.offsets[i + 1] - graph.offsets[i]; };
  const Entry wedges_of_each = 1 + static_cast<Entry>(closed_by_chance * n / (1 + entries));
  Excess closed_wedges, closed_pairs, closed_triples;
  for (Node middle = 0; middle < n; ++middle) {
    const Entry d = degree(middle);
    if (d < 2) continue;
    const Node* neighbors = graph.indices.data() + graph.offsets[middle];
    // Pairs at a fixed distance in the (cyclic) row: no wedge is sampled twice.
    const Entry apart = 1 + static_cast<Entry>(random.below((d + 1) / 2));
    const Entry first = static_cast<Entry>(random.below(d));
    const Entry wedges = std::min(wedges_of_each, 2 * apart == d ? apart : d);
    ticker.tick(1 + 16 * wedges);  // random memory access
    double closed = 0, expected = 0;
    for (Entry w = 0; w < wedges; ++w) {
      const Node one = neighbors[(first + w) % d];
      const Node other = neighbors[(first + w + apart) % d];
      if (one == middle || other == middle) continue;
      expected += std::min(1.0, static_cast<double>(degree(one) * degree(other)) / entries);
      closed += std::binary_search(graph.indices.data() + graph.offsets[one],
                                   graph.indices.data() + graph.offsets[one + 1], other);
    }
    const double drawn = static_cast<double>(wedges), p = expected / drawn, p3 = p * p * p;
    const double pairs = drawn * (drawn - 1) / 2, triples = pairs * (drawn - 2) / 3;
    closed_wedges.observed += closed;
    closed_wedges.expected += expected;
    closed_wedges.variance += expected;
    closed_pairs.observed += closed * (closed - 1) / 2;
    closed_pairs.expected += pairs * p * p;
    closed_pairs.variance += pairs * (p * p + 2 * (drawn - 2) * p3) * (1 - p);
    closed_triples.observed += closed * (closed - 1) * (closed - 2) / 6;
    closed_triples.expected += triples * p3;
    closed_triples.variance +=
        triples * p3 * (1 + 3 * (drawn - 3) * p * (1 + 0.5 * (drawn - 4) * p)) * (1 - p);
  }
  return closed_wedges.is_significant(2, 0) || closed_pairs.is_significant(3, 1) ||
         closed_triples.is_significant(3, 1);
}

}  // namespace powercut
