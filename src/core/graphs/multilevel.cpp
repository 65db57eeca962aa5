#include "graphs/multilevel.hpp"

#include <algorithm>
#include <utility>

#include "base/large_pages.hpp"
#include "base/random.hpp"
#include "graphs/hierarchy.hpp"

namespace powercut {
namespace {

class Cycle {
 public:
  Cycle(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
        Label n_labels, const Objective& j, const GraphMoveOptions& options,
        CancellationToken& token)
      : hierarchy_(graph, nodes, options.n_threads, token, options.workers, Hierarchy::Stores::all,
                   options.conflicts),
        partition_{{labels.begin(), labels.end()}, n_labels},
        j_(j),
        score_only_(j),
        negligible_(options.negligible),
        random_(options.seed),
        token_(token) {
    // The prior would penalise every merge of two singletons.
    score_only_.tradeoff = 0;
    if (j.tradeoff != 0) j_.prior_table = prior_table(j.discount, nodes.total_count(graph.rows()));
  }

  CycleSummary run() {
    CycleSummary summary;
    move(summary);
    while (coarsen()) move(summary);
    while (!hierarchy_.has_one_level()) {
      hierarchy_.refine(partition_);
      move(summary);
    }
    summary.clusters = std::move(partition_.sums);
    return summary;
  }

  /// The labels of the nodes of the finest level.
  const LargeVector<Label>& finest_labels() {
    while (!hierarchy_.has_one_level()) hierarchy_.refine(partition_);
    return partition_.labels;
  }

 private:
  void move(CycleSummary& summary) {
    const GraphMoveSummary moved = hierarchy_.move(partition_, j_, negligible_, random_.bits());
    std::vector<double>& path = summary.path;
    if (path.empty()) path.push_back(moved.before);
    // J from other sums differs by rounding.
    path.push_back(moved.moves > 0 ? moved.after : path.back());
  }

  /// Adds a level whose nodes are subclusters, or clusters if there are none; false at the last.
  bool coarsen() {
    if (token_.requested()) throw Cancelled();
    const Node n = hierarchy_.size();
    Partition groups = hierarchy_.singletons();
    hierarchy_.move(groups, score_only_, negligible_, random_.bits(), partition_.labels.data());
    if (groups.n == n) groups = partition_;
    if (groups.n == n) return false;
    LargeVector<Label> label_of_group(groups.n);
    for (Node i = 0; i < n; ++i) label_of_group[groups.labels[i]] = partition_.labels[i];
    hierarchy_.coarsen(std::move(groups));
    partition_.labels = std::move(label_of_group);
    return true;
  }

  Hierarchy hierarchy_;
  Partition partition_;  ///< of the nodes of the coarsest level
  Objective j_;
  Objective score_only_;
  double negligible_;
  Random random_;
  CancellationToken& token_;
};

}  // namespace

CycleSummary cycle(const GraphView& graph, const NodeArrays& nodes, std::span<Label> labels,
                   Label n_labels, const Objective& j, const GraphMoveOptions& options,
                   CancellationToken& token) {
  Cycle cycle(graph, nodes, labels, n_labels, j, options, token);
  const auto write = [&] { std::ranges::copy(cycle.finest_labels(), labels.begin()); };
  try {
    CycleSummary summary = cycle.run();
    write();
    return summary;
  } catch (const Cancelled&) {
    write();
    throw;
  }
}

}  // namespace powercut
