#include "graphs/division.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/members.hpp"
#include "base/random.hpp"
#include "base/threads.hpp"
#include "graphs/aggregation.hpp"
#include "graphs/hierarchy.hpp"
#include "graphs/local_moves.hpp"
#include "graphs/subgraph.hpp"
#include "graphs/wedge_closure.hpp"

namespace powercut {
namespace {

/// Of fewer nodes, one that leaves is all there is to divide, and moves of nodes do that.
constexpr Node fewest = 4;
/// Pieces of pieces of clusters are divided, but no further.
constexpr int deepest = 3;

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
  while (large < order.size() && work[order[large]] > much)
    divide_one(order[large++], n_threads, true);
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
