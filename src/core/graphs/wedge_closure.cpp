#include "graphs/wedge_closure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace powercut {
namespace {

/// Smaller graphs are divided faster than tested.
constexpr Node max_small_graph = 1024;
/// The expected number of closed wedges in the sample if the graph has no clusters.
constexpr double closed_by_chance = 100;

/// The wedges that are sampled around one node.
struct Sample {
  Entry wedges;
  Entry first;  ///< position of the first neighbor in the (cyclic) row
  Entry apart;  ///< distance of the second: no wedge is sampled twice
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
    if (sample.wedges == 0) return;
    const double closed = sample.closed, drawn = static_cast<double>(sample.wedges);
    const double p = sample.expected / drawn, p3 = p * p * p;
    const double pairs = drawn * (drawn - 1) / 2, triples = pairs * (drawn - 2) / 3;
    wedges_.observed += closed;
    wedges_.expected += sample.expected;
    wedges_.variance += sample.expected;
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

 private:
  Excess wedges_, pairs_, triples_;
};

/// Samples wedges around all nodes.
class WedgeSampler {
 public:
  explicit WedgeSampler(const OwnedGraph& graph)
      : graph_(graph),
        entries_(static_cast<double>(graph.indices.size())),
        wedges_of_each_(
            1 + static_cast<Entry>(closed_by_chance * static_cast<double>(graph.volume.size()) /
                                   (1 + entries_))) {}

  Sample draw(Node middle, Random& random) const {
    const Entry d = degree(middle);
    if (d < 2) return {};
    const Entry apart = 1 + static_cast<Entry>(random.below((d + 1) / 2));
    const Entry first = static_cast<Entry>(random.below(d));
    return {std::min(wedges_of_each_, 2 * apart == d ? apart : d), first, apart, 0, 0};
  }

  /// Starts to load the degrees of the ends of the wedges, or their rows.
  void prefetch_degrees(Node middle, const Sample& sample) const {
    for_each_wedge(middle, sample, [&](Node one, Node other) {
      prefetch_memory(graph_.offsets.data() + one);
      prefetch_memory(graph_.offsets.data() + other);
    });
  }
  void prefetch_rows(Node middle, const Sample& sample) const {
    for_each_wedge(middle, sample, [&](Node one, Node) {
      prefetch_memory(graph_.indices.data() + (graph_.offsets[one] + graph_.offsets[one + 1]) / 2);
    });
  }

  /// Counts the wedges that are closed, and how many are expected to be.
  void count(Node middle, Sample& sample) const {
    for_each_wedge(middle, sample, [&](Node one, Node other) {
      if (one == middle || other == middle) return;
      sample.expected += std::min(1.0, static_cast<double>(degree(one) * degree(other)) / entries_);
      sample.closed += std::binary_search(graph_.indices.data() + graph_.offsets[one],
                                          graph_.indices.data() + graph_.offsets[one + 1], other);
    });
  }

 private:
  Entry degree(Node i) const { return graph_.offsets[i + 1] - graph_.offsets[i]; }

  template <class Visit>
  void for_each_wedge(Node middle, const Sample& sample, Visit&& visit) const {
    const Node* const neighbors = graph_.indices.data() + graph_.offsets[middle];
    const Entry d = degree(middle);
    for (Entry w = 0; w < sample.wedges; ++w) {
      visit(neighbors[(sample.first + w) % d], neighbors[(sample.first + w + sample.apart) % d]);
    }
  }

  const OwnedGraph& graph_;
  double entries_;
  Entry wedges_of_each_;
};

}  // namespace

bool may_have_clusters(const OwnedGraph& graph, Random& random, ThreadTeam& team, Ticker& ticker) {
  // Part of the result: the test may end after each chunk.
  constexpr Node chunk = 1 << 12;
  constexpr std::int64_t range = 256;
  const Node n = static_cast<Node>(graph.volume.size());
  if (!graph.weights.empty() || n <= max_small_graph) return true;
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
          sampler.prefetch_degrees(middle + 2 * ahead, samples[k + 2 * ahead]);
        }
        if (k + ahead < length) sampler.prefetch_rows(middle + ahead, samples[k + ahead]);
        sampler.count(middle, samples[k]);
        if (thread == 0) ticker.tick(1 + 16 * samples[k].wedges);  // random memory access
      }
    });
    for (const Sample& sample : samples) closure.add(sample);
  }
  return closure.is_significant();
}

}  // namespace powercut
