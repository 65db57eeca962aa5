#include "divide.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <numeric>
#include <utility>
#include <vector>

#include "aggregate.hpp"
#include "graph_moves.hpp"
#include "members.hpp"
#include "random.hpp"
#include "team.hpp"

namespace powercut {
namespace {

/// Of fewer nodes, one that leaves is all there is to divide, and moves of nodes do that.
constexpr Node fewest = 4;
/// So few are sooner divided than looked at.
constexpr Node few = 512;
/// Pieces of pieces of pieces are looked at, but no further.
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

/// Labels in [0, n).
struct Partition {
  std::vector<Label> labels;
  Label n;
};

Partition all_alone(Node n) {
  Partition alone{std::vector<Label>(n), n};
  std::iota(alone.labels.begin(), alone.labels.end(), 0);
  return alone;
}

Partition all_together(Node n) { return {std::vector<Label>(n, 0), 1}; }

/// The place of each node among those of its cluster.
template <class Labels>
LargeVector<Node> places(const Labels& labels, Label n_labels) {
  LargeVector<Node> place(labels.size());
  LargeVector<Node> next(n_labels, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) place[i] = next[labels[i]]++;
  return place;
}

/// The graph of one cluster: its members and the edges between them.
OwnedGraph inside(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
                  std::span<const Node> members, const LargeVector<Node>& place, Ticker& ticker) {
  OwnedGraph part;
  const Label own = labels[members.front()];
  part.offsets.reserve(members.size() + 1);
  part.offsets.push_back(0);
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

/// Whether wedges of a graph are closed more often than in one without clusters, of the same
/// degrees: all in all (in a graph of m clusters m times as often, whatever their sizes), or
/// several at the same node (in the midst of a small cluster). Weights can tell clusters that
/// edges do not, and a few wedges tell little: a weighted or a small graph always may have some.
bool may_have_clusters(const OwnedGraph& graph, Random& random, Ticker& ticker) {
  const Node n = static_cast<Node>(graph.volume.size());
  if (!graph.weights.empty() || n <= few) return true;
  const double entries = static_cast<double>(graph.indices.size());
  const auto degree = [&](Node i) { return graph.offsets[i + 1] - graph.offsets[i]; };
  const double wedges_of_each = 1 + closed_by_chance * n / (1 + entries);
  double closed = 0, closed_by_chance_alone = 0;
  double pairs = 0, pairs_by_chance = 0, pairs_variance = 0;
  for (Node middle = 0; middle < n; ++middle) {
    const double distinct = 0.5 * static_cast<double>(degree(middle) * (degree(middle) - 1));
    const double wedges = std::floor(std::min(wedges_of_each, 0.5 + 0.5 * distinct));
    ticker.tick(1 + 16 * static_cast<std::int64_t>(wedges));  // edges all over the memory
    const Node* neighbours = graph.indices.data() + graph.offsets[middle];
    double here = 0, expected = 0;
    for (double w = 0; w < wedges; ++w) {
      const Node one = neighbours[random.below(degree(middle))];
      const Node other = neighbours[random.below(degree(middle))];
      if (one == other || one == middle || other == middle) continue;
      expected += std::min(1.0, static_cast<double>(degree(one) * degree(other)) / entries);
      here += std::binary_search(graph.indices.data() + graph.offsets[one],
                                 graph.indices.data() + graph.offsets[one + 1], other);
    }
    closed += here;
    closed_by_chance_alone += expected;
    if (wedges < 2) continue;
    // Two of them may be the same wedge, and are then closed together.
    const double chance = expected / wedges;
    const double both = chance * chance + (chance - chance * chance) / distinct;
    pairs += 0.5 * here * (here - 1);
    pairs_by_chance += 0.5 * wedges * (wedges - 1) * both;
    pairs_variance += 0.5 * wedges * (wedges - 1) *
                      (both + 2 * (wedges - 2) * chance * chance * chance) * (1 - chance);
  }
  return closed > closed_by_chance_alone + 2 * std::sqrt(closed_by_chance_alone) ||
         pairs > pairs_by_chance + 1 + 3 * std::sqrt(pairs_variance);
}

/// A grain: the graph of the groups of a finer one.
struct Grain {
  OwnedGraph coarse;
  std::vector<Label> groups;
};

/// Divides one cluster after the other.
class Divider {
 public:
  Divider(const Objective& j, int n_threads, Cancel& cancel)
      : j_(j), score_alone_(j), n_threads_(n_threads), cancel_(cancel) {
    score_alone_.tradeoff = 0;
  }

  Partition divide(const OwnedGraph& whole, std::uint64_t seed, int depth = 0) const {
    const Node n = static_cast<Node>(whole.volume.size());
    if (n < fewest || depth == deepest) return all_together(n);
    Random random(seed);
    Ticker ticker(cancel_);
    if (!may_have_clusters(whole, random, ticker)) return all_together(n);
    Partition pieces = pull_apart(whole, random);
    if (pieces.n == 1) return pieces;
    // Each piece again.
    const Members members = group_by_label(pieces.labels, pieces.n);
    const LargeVector<Node> place = places(pieces.labels, pieces.n);
    Partition smaller{std::vector<Label>(n), 0};
    for (Label p = 0; p < pieces.n; ++p) {
      const std::span<const Node> some = members.of(p);
      const Partition parts =
          divide(inside(whole.view(), whole.nodes(), pieces.labels, some, place, ticker),
                 random.bits(), depth + 1);
      for (std::size_t i = 0; i < some.size(); ++i) {
        smaller.labels[some[i]] = smaller.n + parts.labels[i];
      }
      smaller.n += parts.n;
    }
    return smaller;
  }

 private:
  /// The best pieces found, or the whole if J is no lower with them.
  Partition pull_apart(const OwnedGraph& whole, Random& random) const {
    const Clusters stats = all_of(whole);
    const double of_whole = objective(j_, stats);
    std::deque<Grain> grains;
    join(whole, score_alone_, random, grains);
    const double scale[] = {stats[0].inside / (stats[0].volume * stats[0].volume)};
    join(whole, {"modularity", scale, j_.concentration, j_.discount, 0}, random, grains);

    const auto graph = [&]() -> const OwnedGraph& {
      return grains.empty() ? whole : grains.back().coarse;
    };
    Partition pieces = all_alone(static_cast<Node>(graph().volume.size()));
    double value = move(graph(), pieces, j_, random);
    while (!grains.empty()) {
      const std::vector<Label> groups = std::move(grains.back().groups);
      grains.pop_back();
      std::vector<Label> labels(groups.size());
      for (std::size_t i = 0; i < groups.size(); ++i) labels[i] = pieces.labels[groups[i]];
      pieces.labels = std::move(labels);
      value = move(graph(), pieces, j_, random);
    }
    if (value < of_whole - rounding * std::abs(of_whole)) return pieces;
    return all_together(static_cast<Node>(whole.volume.size()));
  }

  /// Joins the nodes of the coarsest grain while that gains, grain after grain.
  void join(const OwnedGraph& whole, const Objective& j, Random& random,
            std::deque<Grain>& grains) const {
    while (true) {
      const OwnedGraph& graph = grains.empty() ? whole : grains.back().coarse;
      Partition groups = all_alone(static_cast<Node>(graph.volume.size()));
      move(graph, groups, j, random);
      if (groups.n == static_cast<Label>(groups.labels.size())) return;
      OwnedGraph coarse =
          aggregate(graph.view(), graph.nodes(), groups.labels, groups.n, n_threads_, cancel_);
      grains.push_back({std::move(coarse), std::move(groups.labels)});
    }
  }

  /// Moves nodes, drops the clusters that went empty and returns J.
  double move(const OwnedGraph& graph, Partition& partition, const Objective& j,
              Random& random) const {
    MoveOptions options;
    options.negligible = 1;  // one round: grains are cheap here, and many
    options.n_threads = n_threads_;
    options.seed = random.bits();
    const MoveSummary moved = local_moves(graph.view(), graph.nodes(), partition.labels,
                                          partition.n, j, options, cancel_);
    std::vector<Label> number(moved.clusters.size());
    Label n = 0;
    for (std::size_t c = 0; c < number.size(); ++c) {
      number[c] = moved.clusters[c].count > 0 ? n++ : n;
    }
    for (Label& label : partition.labels) label = number[label];
    partition.n = n;
    return moved.after;
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
  const LargeVector<Node> place = places(labels, n_labels);
  const Objective here = beside_others(j, n_labels - 1);
  std::vector<Label> n_pieces(n_labels, 1);
  std::vector<Entry> work(n_labels, 0);
  std::vector<Label> order;
  for (Label c = 0; c < n_labels; ++c) {
    for (const Node i : members.of(c)) {
      pieces[i] = 0;
      work[c] += 1 + graph.length(i);
    }
    if (divisible[c] && members.of(c).size() >= fewest) order.push_back(c);
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
        divider.divide(inside(graph, nodes, labels, some, place, ticker),
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
