#include "graphs/components.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/large_pages.hpp"

namespace powercut {
namespace {

/// Searches for paths between two nodes of a cluster, breadth first from both.
class PathSearch {
 public:
  PathSearch(const GraphView& graph, std::span<const Label> labels, Entry most_entries,
             Ticker& ticker)
      : graph_(graph),
        labels_(labels),
        left_(most_entries),
        ticker_(ticker),
        side_(graph.rows(), unreached) {}

  /// Whether no path was found.
  bool separates(Node from, Node to) {
    bool met = from == to;
    if (!met && left_ > 0) {
      reach(from, 0);
      reach(to, 1);
      Entry read[] = {0, 0};
      while (!met && left_ > 0) {
        const int side = read[1] < read[0] ? 1 : 0;
        if (next_[side] == reached_[side].size()) break;
        const Node node = reached_[side][next_[side]++];
        met = expand(node, side);
        const Entry length = 1 + graph_.length(node);
        read[side] += length;
        left_ -= length;
        ticker_.tick(length);
      }
      clear();
    }
    return !met;
  }

 private:
  static constexpr std::uint8_t unreached = 2;

  void reach(Node node, int side) {
    side_[node] = static_cast<std::uint8_t>(side);
    reached_[side].push_back(node);
  }

  /// Reaches the neighbors of a node; returns whether one was reached from the other side.
  bool expand(Node node, int side) {
    bool met = false;
    graph_.for_each(node, [&](Node other, double) {
      if (labels_[other] != labels_[node] || side_[other] == side) return;
      if (side_[other] == unreached) {
        reach(other, side);
      } else {
        met = true;
      }
    });
    return met;
  }

  void clear() {
    for (const int side : {0, 1}) {
      for (const Node node : reached_[side]) side_[node] = unreached;
      reached_[side].clear();
      next_[side] = 0;
    }
  }

  const GraphView& graph_;
  std::span<const Label> labels_;
  Entry left_;  ///< how many entries may still be read
  Ticker& ticker_;
  LargeVector<std::uint8_t> side_;            ///< from which each node was reached
  std::array<std::vector<Node>, 2> reached_;  ///< from each side, in this order
  std::array<std::size_t, 2> next_{};         ///< of these, the next one to expand
};

/// Sets of nodes, which several threads join. Every node points to one of its set with a smaller
/// number; the smallest points to itself.
class JoinedNodes {
 public:
  explicit JoinedNodes(std::span<Node> smaller) : smaller_(smaller) {
    std::iota(smaller.begin(), smaller.end(), Node{0});
  }

  /// The smallest node of a set, as far as it has been joined.
  Node smallest(Node node) {
    while (true) {
      const Node next = at(node).load(std::memory_order_relaxed);
      if (next == node) return node;
      // Every second node on the way then points one further: later searches are shorter.
      const Node after = at(next).load(std::memory_order_relaxed);
      if (after == next) return next;
      at(node).store(after, std::memory_order_relaxed);
      node = after;
    }
  }

  void join(Node one, Node other) {
    while (true) {
      one = smallest(one);
      other = smallest(other);
      if (one == other) return;
      const Node larger = std::max(one, other);
      Node expected = larger;
      if (at(larger).compare_exchange_strong(expected, std::min(one, other),
                                             std::memory_order_relaxed)) {
        return;
      }
    }
  }

  /// No set may be joined or searched meanwhile: nothing but this node is written.
  void point_to_smallest(Node node) {
    Node root = node;
    for (Node next; (next = at(root).load(std::memory_order_relaxed)) != root;) root = next;
    at(node).store(root, std::memory_order_relaxed);
  }

 private:
  std::atomic_ref<Node> at(Node node) { return std::atomic_ref(smaller_[node]); }

  std::span<Node> smaller_;
};

/// Joins the nodes of each cluster that edges inside it connect.
class ClusterJoiner {
 public:
  /// Joins into `smallest`; without `may_split`, every cluster may be disconnected.
  ClusterJoiner(const GraphView& graph, std::span<const Label> labels,
                std::span<const bool> may_split, std::span<Node> smallest, ThreadTeam& team,
                CancellationToken& token)
      : graph_(graph),
        labels_(labels),
        may_split_(may_split),
        smallest_(smallest),
        sets_(smallest),
        team_(team),
        ticker_(token) {}

  /// Most nodes of a cluster are in one set after each was joined with a few of its neighbors.
  /// Only the others are then joined with all of theirs.
  void join() {
    join_connected();
    for_nodes([&](Node node) { return join_few(node); });
    point_to_smallest();
    const LargeVector<Node> largest = largest_sets();
    for_nodes([&](Node node) { return join_all(node, largest); });
    point_to_smallest();
  }

 private:
  static constexpr std::int64_t range = 1 << 10;
  static constexpr Node ahead = 8;
  static constexpr Entry most_tried = 8;
  static constexpr int most_joined = 2;

  bool is_read(Node node) const { return may_split_.empty() || may_split_[labels_[node]]; }

  /// Calls `visit(node)` on all threads; it returns how many entries it read.
  template <class Visit>
  void for_nodes(Visit&& visit) {
    team_.for_ranges(graph_.rows(), range, [&](int thread, std::int64_t begin, std::int64_t end) {
      for (Node node = static_cast<Node>(begin); node < end; ++node) {
        const Entry read = visit(node);
        if (thread == 0) ticker_.tick(1 + read);
      }
    });
  }

  /// Joins all nodes of each cluster that is known to be connected.
  void join_connected() {
    std::vector<Node> first(may_split_.size(), -1);
    for (Node node = 0; node < graph_.rows(); ++node) {
      if (is_read(node)) continue;
      Node& one = first[labels_[node]];
      if (one < 0) one = node;
      smallest_[node] = one;
    }
  }

  Entry join_few(Node node) {
    if (!is_read(node)) return 0;
    if (graph_.rows() - node > ahead) prefetch_few(node + ahead);
    const Entry few = std::min(most_tried, graph_.length(node));
    int joined = 0;
    for (Entry e = 0; e < few && joined < most_joined; ++e) {
      const Node other = graph_.neighbor(node, e);
      if (labels_[other] != labels_[node] || other == node) continue;
      sets_.join(node, other);
      ++joined;
    }
    return few;
  }

  void prefetch_few(Node node) const {
    for (Entry e = 0; e < std::min<Entry>(most_joined, graph_.length(node)); ++e) {
      const Node other = graph_.neighbor(node, e);
      prefetch_memory(&labels_[other]);
      prefetch_memory(&smallest_[other]);
    }
  }

  Entry join_all(Node node, std::span<const Node> largest) {
    if (!is_read(node)) return 0;
    if (sets_.smallest(node) == sets_.smallest(largest[labels_[node]])) return 0;
    graph_.for_each(node, [&](Node other, double) {
      if (labels_[other] == labels_[node]) sets_.join(node, other);
    });
    return graph_.length(node);
  }

  void point_to_smallest() {
    for_nodes([&](Node node) {
      sets_.point_to_smallest(node);
      return Entry{0};
    });
  }

  /// Of the sets of each cluster, the smallest node of one of the largest.
  LargeVector<Node> largest_sets() const {
    LargeVector<Node> size(labels_.size(), 0);
    for (const Node root : smallest_) ++size[root];
    LargeVector<Node> largest;
    for (Node node = 0; node < graph_.rows(); ++node) {
      if (smallest_[node] != node) continue;
      const std::size_t label = static_cast<std::size_t>(labels_[node]);
      if (label >= largest.size()) largest.resize(label + 1, -1);
      Node& best = largest[label];
      if (best < 0 || size[node] > size[best]) best = node;
    }
    return largest;
  }

  const GraphView& graph_;
  std::span<const Label> labels_;
  std::span<const bool> may_split_;
  std::span<Node> smallest_;
  JoinedNodes sets_;
  ThreadTeam& team_;
  Ticker ticker_;
};

}  // namespace

Label split_components(const GraphView& graph, std::span<const Label> labels,
                       std::span<Label> components, ThreadTeam& team, CancellationToken& token,
                       std::span<const bool> may_split) {
  static_assert(std::is_same_v<Node, Label>, "a component stands first as its smallest node");
  ClusterJoiner(graph, labels, may_split, components, team, token).join();
  Label n_components = 0;
  for (Node node = 0; node < graph.rows(); ++node) {
    const Node smallest = components[node];
    components[node] = smallest == node ? n_components++ : components[smallest];
  }
  return n_components;
}

void find_separated(const GraphView& graph, std::span<const Label> labels,
                    std::span<const Node> from, std::span<const Node> to, Entry most_entries,
                    std::span<std::uint8_t> separated, CancellationToken& token) {
  Ticker ticker(token);
  PathSearch search(graph, labels, most_entries, ticker);
  for (std::size_t pair = 0; pair < from.size(); ++pair) {
    separated[pair] = search.separates(from[pair], to[pair]);
  }
}

}  // namespace powercut
