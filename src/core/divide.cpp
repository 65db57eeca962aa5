#include "divide.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "aggregate.hpp"
#include "graph_moves.hpp"
#include "hierarchy.hpp"
#include "members.hpp"
#include "random.hpp"
#include "team.hpp"

namespace powercut {
namespace {

/// Of fewer nodes, one that leaves is all there is to divide, and moves of nodes do that.
constexpr Node fewest = 4;
/// So few are sooner divided than looked at.
constexpr Node few = 1024;
/// Pieces of pieces of clusters are divided, but no further.
constexpr int deepest = 3;
/// Wedges are looked at until so many would be closed in a cluster that is one.
constexpr double closed_by_chance = 100;

/// A wish to stop that one thread hears of and the others look up.
class Relayed : public Cancel {
 public:
  Relayed(Cancel& source, std::atomic<bool>& stop, bool hears)
      : source_(source), stop_(stop), hears_(hears) {}

  bool requested() override {
    if (hears_ && source_.requested()) stop_.store(true, std::memory_order_relaxed);
    return stop_.load(std::memory_order_relaxed);
  }

 private:
  Cancel& source_;
  std::atomic<bool>& stop_;
  bool hears_;
};

/// Writes the place of each node among those of its cluster.
void find_places(std::span<const Label> labels, Label n_labels, std::span<Node> place) {
  LargeVector<Node> next(n_labels, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) place[i] = next[labels[i]]++;
}

/// The graph of one cluster: its members and the edges between them.
OwnedGraph inside(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
                  std::span<const Node> members, std::span<const Node> place, Ticker& ticker) {
  OwnedGraph part;
  const Label own = labels[members.front()];
  part.offsets.reserve(members.size() + 1);
  part.offsets.push_back(0);
  part.volume.reserve(members.size());
  // Room that is never used is never touched.
  Entry most = 0;
  for (const Node i : members) most += graph.length(i);
  part.indices.reserve(static_cast<std::size_t>(most));
  if (graph.is_weighted()) part.weights.reserve(static_cast<std::size_t>(most));
  for (const Node i : members) {
    graph.for_each(i, [&](Node other, double w) POWERCUT_INLINE {
      if (labels[other] != own) return;
      part.indices.push_back(place[other]);
      if (graph.is_weighted()) part.weights.push_back(w);
    });
    part.offsets.push_back(static_cast<Entry>(part.indices.size()));
    part.volume.push_back(nodes.volume[i]);
    if (nodes.weight != nullptr) part.weight.push_back(nodes.weight[i]);
    if (nodes.count != nullptr) part.count.push_back(nodes.count[i]);
    ticker.tick(1 + graph.length(i));
  }
  return part;
}

/// Makes a graph that of one cluster in it, in its place.
void keep_only(OwnedGraph& graph, std::span<const Label> labels, std::span<const Node> members,
               std::span<const Node> place, Ticker& ticker) {
  const Label own = labels[members.front()];
  const bool is_weighted = !graph.weights.empty();
  Entry to = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const Node i = members[k];
    const Entry begin = graph.offsets[i], end = graph.offsets[i + 1];
    // Nothing is written over before it was read: a member comes no earlier than its place.
    graph.offsets[k] = to;
    for (Entry e = begin; e < end; ++e) {
      if (labels[graph.indices[e]] != own) continue;
      graph.indices[to] = place[graph.indices[e]];
      if (is_weighted) graph.weights[to] = graph.weights[e];
      ++to;
    }
    graph.volume[k] = graph.volume[i];
    if (!graph.weight.empty()) graph.weight[k] = graph.weight[i];
    if (!graph.count.empty()) graph.count[k] = graph.count[i];
    ticker.tick(1 + end - begin);
  }
  graph.offsets[members.size()] = to;
  graph.offsets.resize(members.size() + 1);
  graph.indices.resize(static_cast<std::size_t>(to));
  if (is_weighted) graph.weights.resize(static_cast<std::size_t>(to));
  graph.volume.resize(members.size());
  if (!graph.weight.empty()) graph.weight.resize(members.size());
  if (!graph.count.empty()) graph.count.resize(members.size());
}

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

/// Whether wedges of a graph are closed more often than in one without clusters, of the same
/// degrees: all in all (in a graph of m clusters m times as often, whatever their sizes), or two
/// or three at the same node (in the midst of a small cluster). Weights can tell clusters that
/// edges do not, and a few wedges tell little: a weighted or a small graph always may have some.
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

/// Divides one cluster after the other.
class Divider {
 public:
  Divider(const Objective& j, int n_threads, Cancel& cancel)
      : j_(j), score_alone_(j), n_threads_(n_threads), cancel_(cancel) {
    score_alone_.tradeoff = 0;
  }

  /// The pieces of a graph, which is used up.
  Partition divide(OwnedGraph whole, std::uint64_t seed, int depth = 1) const {
    const Node n = static_cast<Node>(whole.volume.size());
    Random random(seed);
    Ticker ticker(cancel_);
    if (!may_have_clusters(whole, random, ticker)) return all_together(n);
    Partition pieces = pull_apart(whole, random);
    if (pieces.n == 1 || depth == deepest) return pieces;
    // Each piece again; the largest last, for it takes the place of the whole.
    const Members members = group_by_label(pieces.labels, pieces.n);
    LargeVector<Node> place(n);
    find_places(pieces.labels, pieces.n, place);
    Label largest = 0;
    for (Label p = 1; p < pieces.n; ++p) {
      if (members.of(p).size() > members.of(largest).size()) largest = p;
    }
    Partition smaller{LargeVector<Label>(n), 0};
    const auto divide_again = [&](Label p) {
      const std::span<const Node> some = members.of(p);
      const bool is_tiny = some.size() < fewest;
      Partition parts = all_together(is_tiny ? static_cast<Node>(some.size()) : 0);
      if (!is_tiny && p == largest) {
        keep_only(whole, pieces.labels, some, place, ticker);
        parts = divide(std::move(whole), random.bits(), depth + 1);
      } else if (!is_tiny) {
        parts = divide(inside(whole.view(), whole.nodes(), pieces.labels, some, place, ticker),
                       random.bits(), depth + 1);
      }
      for (std::size_t i = 0; i < some.size(); ++i) {
        smaller.labels[some[i]] = smaller.n + parts.labels[i];
      }
      smaller.n += parts.n;
    };
    for (Label p = 0; p < pieces.n; ++p) {
      if (p != largest) divide_again(p);
    }
    divide_again(largest);
    return smaller;
  }

 private:
  /// The best pieces found, or the whole if J is no lower with them.
  Partition pull_apart(const OwnedGraph& whole, Random& random) const {
    const Clusters stats = all_of(whole);
    const double of_whole = objective(j_, stats);
    // One round a grain: grains are cheap here, and many.
    constexpr double negligible = 1;
    const auto nobody_asks = [](const Partition&) {};
    Hierarchy grains(whole.view(), whole.nodes(), n_threads_, cancel_);
    grains.join(score_alone_, negligible, random, nobody_asks);
    const double scale[] = {stats[0].inside / (stats[0].volume * stats[0].volume)};
    grains.join({"modularity", scale, j_.concentration, j_.discount, 0}, negligible, random,
                nobody_asks);

    Partition pieces = all_alone(grains.size());
    double value = grains.move(pieces, j_, negligible, random.bits());
    while (!grains.is_single()) {
      LargeVector<Label> labels = grains.refine();
      for (Label& label : labels) label = pieces.labels[label];
      pieces.labels = std::move(labels);
      value = grains.move(pieces, j_, negligible, random.bits());
    }
    if (value < of_whole - rounding * std::abs(of_whole)) return pieces;
    return all_together(static_cast<Node>(whole.volume.size()));
  }

  /// The one cluster of a graph.
  Clusters all_of(const OwnedGraph& whole) const {
    Ticker ticker(cancel_);
    Team alone(1);
    const Partition together = all_together(static_cast<Node>(whole.volume.size()));
    return cluster_stats(whole.view(), whole.nodes(), together.labels, 1, alone, ticker);
  }

  Objective j_;
  Objective score_alone_;
  int n_threads_;
  Cancel& cancel_;
};

/// The objective of one cluster alone: a new cluster is as dear as beside all the others.
Objective beside_others(Objective j, Label others) {
  j.concentration += static_cast<double>(others) * j.discount;
  return j;
}

}  // namespace

Label divide(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
             Label n_labels, std::span<const bool> divisible, const Objective& j, int n_threads,
             std::uint64_t seed, std::span<Label> pieces, Cancel& cancel) {
  const Members members = group_by_label(labels, n_labels);
  // Until a cluster is divided, its nodes' pieces are their places in it.
  static_assert(std::is_same_v<Node, Label>);
  find_places(labels, n_labels, pieces);
  const Objective here = beside_others(j, n_labels - 1);
  std::vector<Label> n_pieces(n_labels, 1);
  std::vector<Entry> work(n_labels, 0);
  std::vector<Label> order;
  for (Label c = 0; c < n_labels; ++c) {
    const std::span<const Node> some = members.of(c);
    if (divisible[c] && some.size() >= fewest) {
      order.push_back(c);
      for (const Node i : some) work[c] += 1 + graph.length(i);
    } else {
      for (const Node i : some) pieces[i] = 0;
    }
  }
  // The largest first, so that threads end together.
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](Label c) { return work[c]; });

  std::atomic<bool> stop{false};
  const auto divide_one = [&](Label c, int threads, bool hears) {
    const std::span<const Node> some = members.of(c);
    Relayed relayed(cancel, stop, hears);
    if (relayed.requested()) throw Cancelled();
    const Divider divider(here, threads, relayed);
    Ticker ticker(relayed);
    const Partition parts =
        divider.divide(inside(graph, nodes, labels, some, pieces, ticker),
                       Random(seed ^ static_cast<std::uint64_t>(some.front())).bits());
    for (std::size_t i = 0; i < some.size(); ++i) pieces[some[i]] = parts.labels[i];
    n_pieces[c] = parts.n;
  };
  // A cluster that would keep the others waiting has all threads to itself.
  const Entry much = graph.size() / (8 * n_threads);
  std::size_t large = 0;
  while (large < order.size() && work[order[large]] > much) divide_one(order[large++], n_threads, true);
  Team team(n_threads);
  team.for_ranges(static_cast<std::int64_t>(order.size() - large), 1,
                  [&](int member, std::int64_t k, std::int64_t) {
                    divide_one(order[large + static_cast<std::size_t>(k)], 1, member == 0);
                  });

  std::vector<Label> first(n_labels + std::size_t{1}, 0);
  std::partial_sum(n_pieces.begin(), n_pieces.end(), first.begin() + 1);
  for (std::size_t i = 0; i < labels.size(); ++i) pieces[i] += first[labels[i]];
  return first.back();
}

}  // namespace powercut
