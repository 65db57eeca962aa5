#include "graphs/hierarchy.hpp"

#include <numeric>
#include <utility>

#include "base/random.hpp"

namespace powercut {
namespace {

/// A grain is made if it has no more than this part of the entries of the graph: with weights
/// it is three times as large as without, and stays below a quarter of the indices.
constexpr Entry part_made = 12;

LargeVector<Label> composed(const LargeVector<Label>& first, const LargeVector<Label>& then) {
  LargeVector<Label> both(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) both[i] = then[first[i]];
  return both;
}

}  // namespace

Partition all_alone(Node n) {
  Partition alone{LargeVector<Label>(n), n};
  std::iota(alone.labels.begin(), alone.labels.end(), 0);
  return alone;
}

Partition all_together(Node n) { return {LargeVector<Label>(n, 0), 1}; }

GraphView Hierarchy::graph() const {
  if (grains_.empty()) return finest_;
  const Grain& last = grains_.back();
  if (last.is_made) return last.own.view();
  return GraphView::grouped(last.source, last.members, group_of(last).data(),
                            last.own.offsets.data(), static_cast<Node>(last.own.volume.size()));
}

NodeArrays Hierarchy::nodes() const {
  return grains_.empty() ? finest_nodes_ : grains_.back().own.nodes();
}

void Hierarchy::coarsen(Partition groups) {
  OwnedGraph own = aggregate_nodes(nodes(), groups.labels, groups.n);
  const bool is_read_in_another = !grains_.empty() && !grains_.back().is_made;
  LargeVector<Label> elsewhere;
  if (is_read_in_another) elsewhere = composed(group_of(grains_.back()), groups.labels);
  const GraphView source = is_read_in_another ? grains_.back().source : graph();
  const LargeVector<Label>& labels = is_read_in_another ? elsewhere : groups.labels;
  Members members = group_by_label(labels, groups.n);
  const bool is_made = aggregate_edges(source, labels, members, finest_.size() / part_made,
                                       n_threads_, cancel_, own);
  if (is_made) {
    members = Members();
    elsewhere = LargeVector<Label>();
  } else {
    own.indices = LargeVector<Node>();
    own.weights = LargeVector<double>();
    own.offsets.assign(groups.n + std::size_t{1}, 0);
    for (Label g = 0; g < groups.n; ++g) {
      own.offsets[g + 1] = own.offsets[g];
      for (const Node member : members.of(g)) own.offsets[g + 1] += source.length(member);
    }
  }
  grains_.push_back({std::move(groups.labels), std::move(own), is_made, source, std::move(members),
                     std::move(elsewhere)});
}

LargeVector<Label> Hierarchy::refine() {
  LargeVector<Label> groups = std::move(grains_.back().groups);
  grains_.pop_back();
  return groups;
}

double Hierarchy::move(Partition& partition, const Objective& j, double negligible,
                       std::uint64_t seed) const {
  MoveOptions options;
  options.negligible = negligible;
  options.n_threads = n_threads_;
  options.seed = seed;
  options.elsewhere = is_single() ? elsewhere_ : nullptr;
  const MoveSummary moved =
      local_moves(graph(), nodes(), partition.labels, partition.n, j, options, cancel_);
  LargeVector<Label> number(moved.clusters.size());
  Label n = 0;
  for (std::size_t c = 0; c < number.size(); ++c) {
    number[c] = moved.clusters[c].count > 0 ? n++ : n;
  }
  for (Label& label : partition.labels) label = number[label];
  partition.n = n;
  return moved.after;
}

MoveSummary group_moves(const GraphView& graph, const NodeArrays& nodes,
                        std::span<const Label> groups, std::span<Label> labels, const Objective& j,
                        const MoveOptions& options, Cancel& cancel) {
  Hierarchy grains(graph, nodes, options.n_threads, cancel);
  const Label n_groups = static_cast<Label>(labels.size());
  grains.coarsen({{groups.begin(), groups.end()}, n_groups});
  return local_moves(grains.graph(), grains.nodes(), labels, n_groups, j, options, cancel);
}

Label descend(const GraphView& graph, const NodeArrays& nodes, const Objective& j,
              double negligible, int n_threads, std::uint64_t seed, std::span<Label> groups,
              Cancel& cancel, Elsewhere* elsewhere) {
  std::iota(groups.begin(), groups.end(), 0);
  Label n_groups = graph.rows();
  Random random(seed);
  Hierarchy(graph, nodes, n_threads, cancel, elsewhere)
      .join(j, negligible, random, [&](const Partition& joined) {
        for (Label& group : groups) group = joined.labels[group];
        n_groups = joined.n;
      });
  return n_groups;
}

}  // namespace powercut
