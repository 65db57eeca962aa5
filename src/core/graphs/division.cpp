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
#include "graphs/stars.hpp"
#include "graphs/subgraph.hpp"
#include "graphs/wedge_closure.hpp"

namespace powercut {
namespace {

/// Smaller clusters can only lose single nodes, which local moves find.
constexpr Node min_nodes = 4;
/// Clusters, their subclusters and those of the subclusters are divided, but no deeper.
constexpr int max_depth = 3;
/// All levels of a graph of fewer entries are stored: they take little memory, and to read them
/// through the members of groups takes longer.
constexpr Entry few_entries = 1 << 19;
/// In a cluster with at most so many triangles on an edge, nodes are first joined in stars of this
/// size, which takes the place of two or three levels. Nodes of fewer edges than this share of the
/// mean stay alone. A star may hide a small cluster, so subclusters are divided without stars.
constexpr double few_triangles = 0.5, few_edges = 0.7;
constexpr Label star_size = 8;

/// Shares a request to cancel between threads: one thread polls the source, the others a flag.
class RelayedToken : public CancellationToken {
 public:
  RelayedToken(CancellationToken& source, std::atomic<bool>& stop, bool polls)
      : source_(source), stop_(stop), polls_(polls) {}

  bool requested() override {
    if (polls_ && source_.requested()) stop_.store(true, std::memory_order_relaxed);
    return stop_.load(std::memory_order_relaxed);
  }

 private:
  CancellationToken& source_;
  std::atomic<bool>& stop_;
  bool polls_;
};

/// Divides one cluster at a time.
class Divider {
 public:
  Divider(const Objective& j, int n_threads, CancellationToken& token)
      : j_(j), score_only_(j), team_(n_threads), token_(token) {
    score_only_.tradeoff = 0;
  }

  /// The subclusters of a cluster.
  Partition divide(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
                   std::span<const Node> members, std::span<const Node> index_in_cluster,
                   std::uint64_t seed) {
    Ticker ticker(token_);
    return divide_graph(
        cluster_graph(graph, nodes, labels, members, index_in_cluster, team_, ticker), seed);
  }

 private:
  /// The subclusters of a graph, which is consumed.
  Partition divide_graph(OwnedGraph whole, std::uint64_t seed, int depth = 1) {
    const Node n = static_cast<Node>(whole.volume.size());
    Random random(seed);
    Ticker ticker(token_);
    const WedgeClosure closure = wedge_closure(whole, random, team_, ticker);
    if (!closure.shows_clusters) return all_together(n);
    const bool joins_stars = depth == 1 && closure.triangles <= few_triangles;
    Partition subclusters = find_subclusters(whole, random, joins_stars);
    if (subclusters.n == 1 || depth == max_depth) return subclusters;
    // Divides each subcluster again; the largest last, because it reuses the memory of the whole.
    const Members members = group_by_label(subclusters.labels, subclusters.n, team_);
    LargeVector<Node> index_in_cluster(n);
    number_within_clusters(subclusters.labels, subclusters.n, index_in_cluster);
    Label largest = 0;
    for (Label p = 1; p < subclusters.n; ++p) {
      if (members.of(p).size() > members.of(largest).size()) largest = p;
    }
    Partition smaller{LargeVector<Label>(n), 0};
    const auto divide_again = [&](Label p) {
      const std::span<const Node> some = members.of(p);
      const bool is_tiny = some.size() < min_nodes;
      Partition parts = all_together(is_tiny ? static_cast<Node>(some.size()) : 0);
      if (!is_tiny && p == largest) {
        keep_cluster(whole, subclusters.labels, some, index_in_cluster, ticker);
        parts = divide_graph(std::move(whole), random.bits(), depth + 1);
      } else if (!is_tiny) {
        parts = divide_graph(cluster_graph(whole.view(), whole.nodes(), subclusters.labels, some,
                                           index_in_cluster, team_, ticker),
                             random.bits(), depth + 1);
      }
      for (std::size_t i = 0; i < some.size(); ++i) {
        smaller.labels[some[i]] = smaller.n + parts.labels[i];
      }
      smaller.n += parts.n;
    };
    for (Label p = 0; p < subclusters.n; ++p) {
      if (p != largest) divide_again(p);
    }
    divide_again(largest);
    return smaller;
  }

  /// The best subclusters found, or the whole cluster if they do not lower J.
  Partition find_subclusters(const OwnedGraph& whole, Random& random, bool joins_stars) const {
    const Clusters stats(1, all_of(whole));
    const double whole_cost = objective(j_, stats);
    // One round per level is enough: levels are many. Each reads nearly all edges, so the last
    // ones, which hardly join any nodes, are left out.
    constexpr double negligible = 1;
    constexpr double least_joined = 0.25;
    const auto ignore = [](const Partition&) {};
    const bool stores_all = static_cast<Entry>(whole.indices.size()) < few_entries;
    Hierarchy hierarchy(whole.view(), whole.nodes(), team_.size(), token_, nullptr,
                        stores_all ? Hierarchy::Stores::all : Hierarchy::Stores::small);
    if (joins_stars) {
      Ticker ticker(token_);
      Partition groups = stars(whole.view(), star_size, few_edges);
      groups.sums = cluster_stats(whole.view(), whole.nodes(), groups.labels, groups.n,
                                  hierarchy.team(), ticker);
      hierarchy.coarsen(std::move(groups));
    }
    hierarchy.join(score_only_, score_only_, negligible, least_joined, random, ignore);
    const double scale[] = {stats[0].inside / (stats[0].volume * stats[0].volume)};
    const Objective modularity{"modularity", scale, j_.concentration, j_.discount, 0};
    hierarchy.join(modularity, modularity, negligible, least_joined, random, ignore);

    Partition subclusters = hierarchy.singletons();
    double value = hierarchy.move(subclusters, j_, negligible, random.bits()).after;
    while (!hierarchy.has_one_level()) {
      hierarchy.refine(subclusters);
      value = hierarchy.move(subclusters, j_, negligible, random.bits()).after;
    }
    if (value < whole_cost - rounding * std::abs(whole_cost)) return subclusters;
    return all_together(static_cast<Node>(whole.volume.size()));
  }

  /// The sums over all nodes.
  static ClusterStats all_of(const OwnedGraph& whole) {
    const LargeVector<double>& weights = whole.weights;
    ClusterStats all;
    all.inside = weights.empty() ? static_cast<double>(whole.indices.size())
                                 : std::accumulate(weights.begin(), weights.end(), 0.0);
    const NodeArrays nodes = whole.nodes();
    for (Node i = 0; i < static_cast<Node>(whole.volume.size()); ++i) {
      const ClusterStats node = nodes.singleton(i, 0);
      all.volume += node.volume;
      all.weight += node.weight;
      all.count += node.count;
    }
    return all;
  }

  Objective j_;
  Objective score_only_;
  ThreadTeam team_;
  CancellationToken& token_;
};

/// Some clusters, and what it takes to divide each.
struct Tasks {
  std::vector<Label> clusters;  ///< the largest first, for an even load of the threads
  std::vector<Entry> work;      ///< nodes and entries of any cluster
  Entry total = 0;
};

/// Collects the clusters that are to be divided, and writes each node's index in its cluster.
Tasks tasks_of(const GraphView& graph, const Members& members, std::span<const bool> divisible,
               std::span<Node> index_in_cluster, ThreadTeam& team) {
  Tasks tasks;
  tasks.work.assign(divisible.size(), 0);
  team.for_ranges(std::ssize(divisible), 1, [&](int, std::int64_t c, std::int64_t) {
    const std::span<const Node> some = members.of(static_cast<Label>(c));
    const bool counts = divisible[c] && some.size() >= min_nodes;
    Node index = 0;
    Entry work = 0;
    for (const Node i : some) {
      index_in_cluster[i] = counts ? index++ : 0;
      work += 1 + graph.length(i);
    }
    if (counts) tasks.work[c] = work;
  });
  for (Label c = 0; c < std::ssize(divisible); ++c) {
    if (tasks.work[c] > 0) tasks.clusters.push_back(c);
    tasks.total += tasks.work[c];
  }
  std::ranges::stable_sort(tasks.clusters, std::ranges::greater{},
                           [&](Label c) { return tasks.work[c]; });
  return tasks;
}

/// The objective inside one cluster: a new cluster costs as much as beside all the others.
Objective beside_others(Objective j, Label others) {
  j.concentration += static_cast<double>(others) * j.discount;
  return j;
}

}  // namespace

Label divide(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
             Label n_labels, std::span<const bool> divisible, const Objective& j, int n_threads,
             std::uint64_t seed, std::span<Label> subclusters, CancellationToken& token) {
  ThreadTeam team(n_threads);
  const Members members = group_by_label(labels, n_labels, team);
  // Until a cluster is divided, `subclusters` holds each node's index in its cluster.
  static_assert(std::is_same_v<Node, Label>);
  Objective here = beside_others(j, n_labels - 1);
  const Tasks tasks = tasks_of(graph, members, divisible, subclusters, team);
  std::vector<Label> n_subclusters(n_labels, 1);
  // One table serves all clusters and all levels of each.
  if (j.tradeoff != 0) here.prior_table = prior_table(j.discount, nodes.total_count(graph.rows()));

  std::atomic<bool> stop{false};
  const auto divide_one = [&](Label c, int threads, bool polls) {
    const std::span<const Node> some = members.of(c);
    RelayedToken relayed(token, stop, polls);
    if (relayed.requested()) throw Cancelled();
    const Partition parts =
        Divider(here, threads, relayed)
            .divide(graph, nodes, labels, some, subclusters,
                    Random(seed ^ static_cast<std::uint64_t>(some.front())).bits());
    for (std::size_t i = 0; i < some.size(); ++i) subclusters[some[i]] = parts.labels[i];
    n_subclusters[c] = parts.n;
  };
  // A cluster of more than a thread's share gets all threads; several at a time are faster.
  std::span<const Label> order = tasks.clusters;
  while (!order.empty() && tasks.work[order.front()] > tasks.total / n_threads) {
    divide_one(order.front(), n_threads, true);
    order = order.subspan(1);
  }
  team.for_ranges(
      std::ssize(order), 1,
      [&](int thread, std::int64_t k, std::int64_t) { divide_one(order[k], 1, thread == 0); },
      [&] { stop = stop || token.requested(); });

  std::vector<Label> first(n_labels + std::size_t{1}, 0);
  std::partial_sum(n_subclusters.begin(), n_subclusters.end(), first.begin() + 1);
  constexpr std::int64_t range = 1 << 14;
  team.for_ranges(std::ssize(labels), range, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) subclusters[i] += first[labels[i]];
  });
  return first.back();
}

}  // namespace powercut
