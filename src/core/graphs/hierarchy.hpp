#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>

#include "base/cancellation.hpp"
#include "base/large_pages.hpp"
#include "base/members.hpp"
#include "base/random.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "graphs/aggregation.hpp"
#include "graphs/clusters.hpp"
#include "graphs/local_moves.hpp"
#include "graphs/scored_clusters.hpp"
#include "graphs/view.hpp"
#include "search/conflicts.hpp"

namespace powercut {

/// Labels in [0, n).
struct Partition {
  LargeVector<Label> labels;
  Label n;
  Clusters sums = {};  ///< over the clusters; empty if they are not known
};

Partition all_singletons(Node n);
Partition all_together(Node n);

/// A graph and its coarser levels, whose nodes are groups of nodes of the level below.
///
/// Small groups have nearly as many edges between them as their members have, so a weighted graph
/// of them could be larger than the graph itself. Unless all levels are to be stored, such a level
/// is not: its rows are read from the coarsest stored level below it. All levels together then take
/// less than a quarter of the memory of the graph's indices, plus some bytes per node.
class Hierarchy {
 public:
  enum class Stores { small, all };

  /// The arrays of the graph must outlive this object. Remote workers may read the rows of the
  /// finest level only.
  Hierarchy(const GraphView& graph, const NodeArrays& nodes, int n_threads,
            CancellationToken& token, RemoteGraphWorkers* workers = nullptr,
            Stores stores = Stores::small, const Conflicts& conflicts = {})
      : finest_(graph),
        finest_nodes_(nodes),
        team_(threads_for(graph, n_threads)),
        token_(token),
        workers_(workers),
        stores_(stores),
        finest_conflicts_(conflicts) {}

  /// The coarsest level.
  GraphView graph() const;
  NodeArrays nodes() const;
  Conflicts conflicts() const;
  Node size() const { return graph().rows(); }
  bool has_one_level() const { return levels_.empty(); }
  /// The threads that work on all levels.
  ThreadTeam& team() { return team_; }

  /// The partition of the coarsest level in which every node is a cluster of its own.
  Partition singletons();
  /// The sums over its clusters, if they are known; they are given once.
  Clusters singleton_sums();

  /// Adds a level whose nodes are the groups of nodes of the coarsest one. Groups fill [0, n).
  void coarsen(Partition groups);

  /// Removes the coarsest level. A partition of its nodes becomes one of the level below.
  void refine(Partition& partition);

  /// Moves nodes of the coarsest level, to any cluster or within the groups of a coarser partition,
  /// and removes empty clusters. Neither these nor the clusters hold conflicting nodes. The sums
  /// over the clusters are then in the partition, and no longer in the summary.
  GraphMoveSummary move(Partition& partition, const Objective& j, double negligible,
                        std::uint64_t seed, const Label* within = nullptr);

  /// Adds levels by joining nodes as long as that lowers J; calls joined(groups) before each. Nodes
  /// of the finest level are joined by another objective. Ends before a level that would have fewer
  /// nodes than the one below by less than this share.
  template <class Joined>
  void join(const Objective& finest, const Objective& j, double negligible, double least_joined,
            Random& random, Joined&& joined) {
    for (;;) {
      Partition groups = singletons();
      Clusters sums = least_joined > 0 ? groups.sums : Clusters();
      const Count moves =
          move(groups, has_one_level() ? finest : j, negligible, random.bits()).moves;
      if (groups.n == size()) {
        if (moves == 0) singleton_sums_ = std::move(groups.sums);
        return;
      }
      if (groups.n > (1 - least_joined) * size()) {
        singleton_sums_ = std::move(sums);
        return;
      }
      joined(groups);
      coarsen(std::move(groups));
    }
  }

 private:
  struct Level {
    LargeVector<Label> groups;  ///< of the nodes of the level below
    OwnedGraph own;  ///< if not stored: without edges; its offsets count the entries of the members
    bool is_stored;
    // If not stored: the stored level that rows are read from, and the groups of its nodes.
    GraphView source;
    Members members;
    LargeVector<Label> group_of;  ///< empty if equal to `groups`
    OwnedConflicts conflicts;
  };

  /// In small graphs, of which there may be many, another thread does not pay off.
  static int threads_for(const GraphView& graph, int n_threads) {
    constexpr Entry entries_per_thread = 1 << 14;
    return static_cast<int>(std::clamp<Entry>(graph.size() / entries_per_thread, 1, n_threads));
  }

  static const LargeVector<Label>& group_of(const Level& level) {
    return level.group_of.empty() ? level.groups : level.group_of;
  }

  GraphView finest_;
  NodeArrays finest_nodes_;
  ThreadTeam team_;
  CancellationToken& token_;
  RemoteGraphWorkers* workers_;
  Stores stores_;
  Conflicts finest_conflicts_;
  std::deque<Level> levels_;
  Clusters singleton_sums_;
};

/// Lowers J by moving groups of nodes as `local_moves` moves single nodes. `labels` has an element
/// per group, and at most as many labels as groups. `known` are the sums over the initial clusters,
/// if the caller has them.
GraphMoveSummary group_moves(const GraphView& graph, const NodeArrays& nodes,
                             std::span<const Label> groups, std::span<Label> labels,
                             const Objective& j, const GraphMoveOptions& options,
                             CancellationToken& token, Clusters known = {});

/// Joins nodes while that lowers one objective, and then groups of nodes while it lowers another;
/// returns the number of groups. `groups`, one per node, is valid even if the work is cancelled.
Label coarsen(const GraphView& graph, const NodeArrays& nodes, const Objective& of_nodes,
              const Objective& of_groups, double negligible, int n_threads, std::uint64_t seed,
              std::span<Label> groups, CancellationToken& token,
              RemoteGraphWorkers* workers = nullptr, const Conflicts& conflicts = {});

}  // namespace powercut
