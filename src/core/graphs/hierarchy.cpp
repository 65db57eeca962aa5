#include "graphs/hierarchy.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "base/relabel.hpp"
#include "base/threads.hpp"

namespace powercut {
namespace {

/// A small level has at most 1/12 of the entries of the graph: with weights an entry takes three
/// times the memory, so a level stays below a quarter of the graph's indices.
constexpr Entry min_reduction = 12;

/// The offsets of rows that are read through the members of each group.
LargeVector<Entry> offsets_of(const Members& groups, Label n_groups, const GraphView& source,
                              ThreadTeam& team) {
  constexpr std::int64_t range = 1 << 12;
  LargeVector<Entry> offsets(n_groups + std::size_t{1}, 0);
  team.for_ranges(n_groups, range, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t g = begin; g < end; ++g) {
      for (const Node member : groups.of(static_cast<Label>(g))) {
        offsets[g + 1] += source.length(member);
      }
    }
  });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

}  // namespace

Partition all_singletons(Node n) {
  Partition singletons{LargeVector<Label>(n), n};
  std::iota(singletons.labels.begin(), singletons.labels.end(), Label{0});
  return singletons;
}

Partition all_together(Node n) { return {LargeVector<Label>(n, 0), 1}; }

GraphView Hierarchy::graph() const {
  if (levels_.empty()) return finest_;
  const Level& last = levels_.back();
  if (last.is_stored) return last.own.view();
  return GraphView::grouped(last.source, last.members, group_of(last).data(),
                            last.own.offsets.data(), static_cast<Node>(last.own.volume.size()));
}

NodeArrays Hierarchy::nodes() const {
  return levels_.empty() ? finest_nodes_ : levels_.back().own.nodes();
}

Conflicts Hierarchy::conflicts() const {
  return levels_.empty() ? finest_conflicts_ : levels_.back().conflicts.view();
}

Partition Hierarchy::singletons() {
  Partition singletons = all_singletons(size());
  singletons.sums = singleton_sums();
  return singletons;
}

Clusters Hierarchy::singleton_sums() { return std::exchange(singleton_sums_, {}); }

void Hierarchy::coarsen(Partition groups) {
  OwnedGraph own = aggregate_nodes(nodes(), groups.labels, groups.n, groups.sums);
  OwnedConflicts own_conflicts = aggregate(conflicts(), groups.labels, groups.n);
  const bool is_read_in_finer = !levels_.empty() && !levels_.back().is_stored;
  LargeVector<Label> composite;
  if (is_read_in_finer) {
    composite = group_of(levels_.back());
    relabel(composite, groups.labels, team_);
  }
  const GraphView source = is_read_in_finer ? levels_.back().source : graph();
  const LargeVector<Label>& labels = is_read_in_finer ? composite : groups.labels;
  Members members = group_by_label(labels, groups.n, team_);
  const Entry most = stores_ == Stores::all ? source.size() : finest_.size() / min_reduction;
  const bool is_stored = aggregate_edges(source, labels, members, most, team_.size(), token_, own);
  if (is_stored) {
    members = Members();
    composite = LargeVector<Label>();
  } else {
    own.indices = LargeVector<Node>();
    own.weights = LargeVector<double>();
    own.offsets = offsets_of(members, groups.n, source, team_);
  }
  levels_.push_back({std::move(groups.labels), std::move(own), is_stored, source,
                     std::move(members), std::move(composite), std::move(own_conflicts)});
  singleton_sums_ = std::move(groups.sums);
}

void Hierarchy::refine(Partition& partition) {
  LargeVector<Label> labels = std::move(levels_.back().groups);
  levels_.pop_back();
  singleton_sums_ = Clusters();
  relabel(labels, partition.labels, team_);
  partition.labels = std::move(labels);
}

GraphMoveSummary Hierarchy::move(Partition& partition, const Objective& j, double negligible,
                                 std::uint64_t seed, const Label* within) {
  GraphMoveOptions options;
  options.within = within;
  options.negligible = negligible;
  options.n_threads = team_.size();
  options.seed = seed;
  options.workers = has_one_level() && within == nullptr ? workers_ : nullptr;
  // The groups of `within` hold no conflicting nodes.
  if (within == nullptr) options.conflicts = conflicts();
  GraphMoveSummary moved = local_moves(graph(), nodes(), partition.labels, partition.n, j, options,
                                       token_, std::move(partition.sums));
  const Clusters all = std::move(moved.clusters);
  Clusters& sums = partition.sums;
  sums = Clusters();
  sums.reserve(std::ranges::count_if(all, [](const ClusterStats& c) { return c.count > 0; }));
  LargeVector<Label> number(all.size());
  for (std::size_t c = 0; c < all.size(); ++c) {
    number[c] = static_cast<Label>(sums.size());
    if (all[c].count > 0) sums.push_back(all[c]);
  }
  relabel(partition.labels, number, team_);
  partition.n = static_cast<Label>(sums.size());
  return moved;
}

GraphMoveSummary group_moves(const GraphView& graph, const NodeArrays& nodes,
                             std::span<const Label> groups, std::span<Label> labels,
                             const Objective& j, const GraphMoveOptions& options,
                             CancellationToken& token, Clusters known) {
  Hierarchy hierarchy(graph, nodes, options.n_threads, token, nullptr, Hierarchy::Stores::small,
                      options.conflicts);
  const Label n_groups = static_cast<Label>(labels.size());
  hierarchy.coarsen({{groups.begin(), groups.end()}, n_groups, std::move(known)});
  GraphMoveOptions of_groups = options;
  of_groups.conflicts = hierarchy.conflicts();
  return local_moves(hierarchy.graph(), hierarchy.nodes(), labels, n_groups, j, of_groups, token,
                     hierarchy.singleton_sums());
}

Label coarsen(const GraphView& graph, const NodeArrays& nodes, const Objective& of_nodes,
              const Objective& of_groups, double negligible, int n_threads, std::uint64_t seed,
              std::span<Label> groups, CancellationToken& token, RemoteGraphWorkers* workers,
              const Conflicts& conflicts) {
  std::iota(groups.begin(), groups.end(), Label{0});
  Label n_groups = graph.rows();
  Random random(seed);
  Hierarchy hierarchy(graph, nodes, n_threads, token, workers, Hierarchy::Stores::small, conflicts);
  hierarchy.join(of_nodes, of_groups, negligible, 0, random, [&](const Partition& joined) {
    relabel(groups, joined.labels, hierarchy.team());
    n_groups = joined.n;
  });
  return n_groups;
}

}  // namespace powercut
