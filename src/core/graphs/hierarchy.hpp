#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>

#include "base/cancellation.hpp"
#include "base/large_pages.hpp"
#include "base/members.hpp"
#include "base/random.hpp"
#include "base/types.hpp"
#include "graphs/aggregation.hpp"
#include "graphs/clusters.hpp"
#include "graphs/local_moves.hpp"
#include "graphs/move_costs.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// Labels in [0, n).
struct Partition {
  LargeVector<Label> labels;
  Label n;
};

Partition all_alone(Node n);
Partition all_together(Node n);

/// A graph and coarser and coarser grains of it, whose nodes are groups of those of the finer one.
///
/// Small groups have nearly as many edges between them as their members have, and a graph of
/// them, which has weights, would be larger than the graph itself. Such a grain is not made: its
/// rows are read in the finest grain that is. The memory of all grains together stays below a
/// quarter of the indices of the graph, and some bytes for each of its nodes.
class Hierarchy {
 public:
  /// The arrays of the graph must outlive this. Its own rows, not those of coarser grains, may be
  /// looked at elsewhere.
  Hierarchy(const GraphView& graph, const NodeArrays& nodes, int n_threads, Cancel& cancel,
            Elsewhere* elsewhere = nullptr)
      : finest_(graph),
        finest_nodes_(nodes),
        n_threads_(n_threads),
        cancel_(cancel),
        elsewhere_(elsewhere) {}

  /// The coarsest grain.
  GraphView graph() const;
  NodeArrays nodes() const;
  Node size() const { return graph().rows(); }
  bool is_single() const { return grains_.empty(); }

  /// Makes each group of the coarsest grain a node of a coarser one. Groups fill [0, n).
  void coarsen(Partition groups);

  /// Takes the coarsest grain away and returns what it was made of: the groups of the nodes of
  /// the one before.
  LargeVector<Label> refine();

  /// Moves nodes of the coarsest grain, drops the clusters that went empty and returns J.
  double move(Partition& partition, const Objective& j, double negligible,
              std::uint64_t seed) const;

  /// Makes coarser grains by joining nodes while that gains; calls joined(groups) before each.
  template <class Joined>
  void join(const Objective& j, double negligible, Random& random, Joined&& joined) {
    while (true) {
      Partition groups = all_alone(size());
      move(groups, j, negligible, random.bits());
      if (groups.n == size()) return;
      joined(groups);
      coarsen(std::move(groups));
    }
  }

 private:
  struct Grain {
    LargeVector<Label> groups;  ///< of the nodes of the grain before
    OwnedGraph own;             ///< its offsets count the entries of members where it is not made
    bool is_made;
    // Where it is not made: a grain that is, and the nodes of that one in groups.
    GraphView source;
    Members members;
    LargeVector<Label> group_of;  ///< empty where these are `groups`
  };

  static const LargeVector<Label>& group_of(const Grain& grain) {
    return grain.group_of.empty() ? grain.groups : grain.group_of;
  }

  GraphView finest_;
  NodeArrays finest_nodes_;
  int n_threads_;
  Cancel& cancel_;
  Elsewhere* elsewhere_;
  std::deque<Grain> grains_;
};

/// Lowers J by moving groups of nodes as `local_moves` moves single ones. `labels` has an element
/// for each group, and no more labels than groups.
MoveSummary group_moves(const GraphView& graph, const NodeArrays& nodes,
                        std::span<const Label> groups, std::span<Label> labels, const Objective& j,
                        const MoveOptions& options, Cancel& cancel);

/// Joins the nodes of a graph, and what was joined, while that gains; returns how many groups
/// there are. `groups`, one for each node, hold what was reached also if the work is cancelled.
Label descend(const GraphView& graph, const NodeArrays& nodes, const Objective& j,
              double negligible, int n_threads, std::uint64_t seed, std::span<Label> groups,
              Cancel& cancel, Elsewhere* elsewhere = nullptr);

}  // namespace powercut
