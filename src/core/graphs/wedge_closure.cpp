#include "graphs/wedge_closure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace powercut {
namespace {

/// Smaller graphs are divided faster than tested.
constexpr Node max_small_graph = 1024;
/// The least number of closed wedges to be expected in the sample if the graph has no clusters.
constexpr double closed_by_chance = 100;

/// The wedges that are sampled around one node: those that have one of some edges in consecutive
/// positions of its (cyclic) row.
struct Sample {
  Entry edges;
  Entry first;  ///< position of the first edge
  double wedges;
  double share;   ///< of all wedges around the node
  double others;  ///< edges with which one makes a wedge
  double closed;
  double expected;
};

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

/// How often sampled wedges are closed, and two or three of the same node.
class Closure {
 public:
  void add(const Sample& sample) {
    if (sample.edges == 0) return;
    const double closed = sample.closed, drawn = sample.wedges;
    triangles_ += closed / drawn * sample.others;
    ++nodes_;
    const double p = sample.expected / drawn, p3 = p * p * p;
    const double pairs = drawn * (drawn - 1) / 2, triples = pairs * (drawn - 2) / 3;
    wedges_.observed += closed;
    wedges_.expected += sample.expected;
    // A triangle closes three wedges, and several of them may be in the sample.
    wedges_.variance += sample.expected * (1 + 2 * sample.share);
    pairs_.observed += closed * (closed - 1) / 2;
    pairs_.expected += pairs * p * p;
    pairs_.variance += pairs * (p * p + 2 * (drawn - 2) * p3) * (1 - p);
    triples_.observed += closed * (closed - 1) * (closed - 2) / 6;
    triples_.expected += triples * p3;
    triples_.variance +=
        triples * p3 * (1 + 3 * (drawn - 3) * p * (1 + 0.5 * (drawn - 4) * p)) * (1 - p);
  }

  bool is_significant() const {
    return wedges_.is_significant(2, 0) || pairs_.is_significant(3, 1) ||
           triples_.is_significant(3, 1);
  }

  /// Whether no more samples are needed: over many looks at a random graph, chance would exceed two
  /// standard deviations at one of them, but not six and twenty wedges.
  bool is_settled() const { return wedges_.is_significant(6, 20); }

  /// Triangles on an edge.
  double mean_triangles() const { return nodes_ == 0 ? 0 : triangles_ / nodes_; }

 private:
  Excess wedges_, pairs_, triples_;
  double triangles_ = 0, nodes_ = 0;
};

/// How many elements two ascending rows have in common, not counting two nodes.
Entry count_common(std::span<const Node> one, std::span<const Node> other, Node not_this,
                   Node nor_this) {
  constexpr std::size_t much_longer = 16;
  if (one.size() > other.size()) std::swap(one, other);
  const auto counts = [=](Node node) { return node != not_this && node != nor_this; };
  if (other.size() > much_longer * one.size()) {
    return std::ranges::count_if(
        one, [&](Node node) { return counts(node) && std::ranges::binary_search(other, node); });
  }
  Entry common = 0;
  // Without branches: which element is smaller is unpredictable.
  for (std::size_t i = 0, j = 0; i < one.size() && j < other.size();) {
    const Node a = one[i], b = other[j];
    common += a == b && counts(a);
    i += a <= b;
    j += b <= a;
  }
  return common;
}

/// Samples wedges around all nodes. Those of one edge are tested together, in one row.
class WedgeSampler {
 public:
  explicit WedgeSampler(const OwnedGraph& graph)
      : graph_(graph), entries_(static_cast<double>(graph.indices.size())) {
    const double mean = entries_ / static_cast<double>(graph.volume.size());
    edges_of_each_ = 1 + static_cast<Entry>(closed_by_chance / (1 + mean * mean));
  }

  Sample draw(Node middle, Random& random) const {
    const Entry d = degree(middle);
    if (d < 2) return {};
    const Entry edges = std::min(edges_of_each_, d - 1);
    // The pairs of one of these edges with another.
    const double wedges = static_cast<double>(edges * (2 * d - edges - 1)) / 2;
    const double all = static_cast<double>(d * (d - 1)) / 2;
    const double others = static_cast<double>(d - 1);
    return {edges, static_cast<Entry>(random.below(d)), wedges, wedges / all, others, 0, 0};
  }

  /// Starts to load the degrees of the ends of the wedges, or the rows of the edges.
  void prefetch_degrees(Node middle) const {
    constexpr std::size_t most = 64;
    const std::span<const Node> neighbors = row(middle);
    for (const Node other : neighbors.first(std::min(most, neighbors.size()))) {
      prefetch_memory(graph_.offsets.data() + other);
    }
  }
  void prefetch_rows(Node middle, const Sample& sample) const {
    for (Entry e = 0; e < sample.edges; ++e) {
      const Node end = row(middle)[(sample.first + e) % degree(middle)];
      prefetch_memory(graph_.indices.data() + graph_.offsets[end]);
      prefetch_memory(graph_.indices.data() + graph_.offsets[end + 1] - 1);
    }
  }

  /// Counts the wedges that are closed, and how many are expected to be.
  void count(Node middle, Sample& sample) const {
    const std::span<const Node> neighbors = row(middle);
    const Entry d = std::ssize(neighbors);
    for (Entry e = 0; e < sample.edges; ++e) {
      const Entry at = (sample.first + e) % d;
      const Node end = neighbors[at];
      if (end == middle) continue;
      // The others begin behind the edge; the last are those before the first edge.
      const Entry behind = std::min(d - 1 - at, d - 1 - e);
      for (const std::span<const Node> others :
           {neighbors.subspan(at + 1, behind), neighbors.first(d - 1 - e - behind)}) {
        sample.closed += static_cast<double>(count_common(others, row(end), middle, end));
        for (const Node other : others) {
          if (other != middle) sample.expected += chance(end, other);
        }
      }
    }
  }

 private:
  Entry degree(Node i) const { return graph_.offsets[i + 1] - graph_.offsets[i]; }
  std::span<const Node> row(Node i) const {
    return {graph_.indices.data() + graph_.offsets[i], static_cast<std::size_t>(degree(i))};
  }

  /// The probability of an edge between two neighbors of a node, by their other edges.
  double chance(Node one, Node other) const {
    return std::min(1.0, static_cast<double>((degree(one) - 1) * (degree(other) - 1)) / entries_);
  }

  const OwnedGraph& graph_;
  double entries_;
  Entry edges_of_each_;
};

}  // namespace

WedgeClosure wedge_closure(const OwnedGraph& graph, Random& random, ThreadTeam& team,
                           Ticker& ticker) {
  // Part of the result: the test may end after each chunk.
  constexpr Node chunk = 1 << 12;
  constexpr std::int64_t range = 256;
  const Node n = static_cast<Node>(graph.volume.size());
  if (!graph.weights.empty() || n <= max_small_graph) {
    return {true, std::numeric_limits<double>::infinity()};
  }
  const WedgeSampler sampler(graph);
  Closure closure;
  std::vector<Sample> samples;
  for (Node start = 0; start < n && !closure.is_settled(); start += std::min(chunk, n - start)) {
    samples.clear();
    for (Node k = 0; k < std::min(chunk, n - start); ++k) {
      samples.push_back(sampler.draw(start + k, random));
    }
    const std::int64_t length = std::ssize(samples);
    team.for_ranges(length, range, [&](int thread, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        constexpr std::int64_t ahead = 4;
        const Node middle = start + static_cast<Node>(k);
        if (k + 2 * ahead < length) {
          sampler.prefetch_degrees(middle + 2 * ahead);
        }
        if (k + ahead < length) sampler.prefetch_rows(middle + ahead, samples[k + ahead]);
        sampler.count(middle, samples[k]);
        if (thread == 0) ticker.tick(1 + static_cast<Entry>(samples[k].wedges));
      }
    });
    for (const Sample& sample : samples) closure.add(sample);
  }
  return {closure.is_significant(), closure.mean_triangles()};
}

}  // namespace powercut
