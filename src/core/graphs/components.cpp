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

/// Sets of nodes, which several threads join. Every node points to one of its set that is not
/// larger; the smallest points to itself.
class JoinedNodes {
 public:
  explicit JoinedNodes(std::span<Node> smaller) : smaller_(smaller) {
    std::iota(smaller.begin(), smaller.end(), 0);
  }

  /// The smallest node of a set, as far as it has been joined.
  Node smallest(Node node) {
    while (true) {
      const Node next = at(node).load(std::memory_order_relaxed);
      if (next == node) return node;
      // Every node that is passed then points further: later searches are short.
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
      Node larger = std::max(one, other);
      const Node set = larger;
      if (at(set).compare_exchange_strong(larger, std::min(one, other),
                                          std::memory_order_relaxed)) {
        return;
      }
    }
  }

  void point_to_smallest(Node node) { at(node).store(smallest(node), std::memory_order_relaxed); }

 private:
  std::atomic_ref<Node> at(Node node) { return std::atomic_ref(smaller_[node]); }

  std::span<Node> smaller_;
};

/// Of the sets that each label has, the smallest node of one of the largest.
LargeVector<Node> largest_sets(std::span<const Label> labels, std::span<const Node> smallest) {
  LargeVector<Node> size(labels.size(), 0);
  for (const Node root : smallest) ++size[root];
  LargeVector<Node> largest;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (smallest[i] != static_cast<Node>(i)) continue;
    const std::size_t label = static_cast<std::size_t>(labels[i]);
    if (label >= largest.size()) largest.resize(label + 1, -1);
    Node& best = largest[label];
    if (best < 0 || size[i] > size[best]) best = static_cast<Node>(i);
  }
  return largest;
}

}  // namespace

Label split_components(const GraphView& graph, std::span<const Label> labels,
                       std::span<Label> components, ThreadTeam& team, CancellationToken& token,
                       std::span<const bool> may_split) {
  constexpr std::int64_t range = 1 << 10;
  constexpr Node ahead = 8;
  // Most nodes of a cluster are in one set after each was joined with a few of its neighbors. Only
  // the others are then joined with all of theirs.
  constexpr Entry few_entries = 8;
  constexpr int few_joined = 2;
  static_assert(std::is_same_v<Node, Label>);
  Ticker ticker(token);
  JoinedNodes nodes(components);
  const auto for_nodes = [&](auto&& body) {
    team.for_ranges(graph.rows(), range, [&](int thread, std::int64_t begin, std::int64_t end) {
      for (Node node = static_cast<Node>(begin); node < end; ++node) {
        const Entry read = body(node);
        if (thread == 0) ticker.tick(1 + read);
      }
    });
  };
  if (!may_split.empty()) {
    std::vector<Node> first(may_split.size(), -1);
    for (Node node = 0; node < graph.rows(); ++node) {
      if (may_split[labels[node]]) continue;
      if (first[labels[node]] < 0) first[labels[node]] = node;
      nodes.join(first[labels[node]], node);
    }
  }
  const auto is_read = [&](Node node) { return may_split.empty() || may_split[labels[node]]; };
  for_nodes([&](Node node) {
    if (!is_read(node)) return Entry{0};
    if (graph.rows() - node > ahead) {
      const Node later = node + ahead;
      for (Entry e = 0; e < std::min<Entry>(few_joined, graph.length(later)); ++e) {
        const Node other = graph.neighbor(later, e);
        prefetch_memory(&labels[other]);
        prefetch_memory(&components[other]);
      }
    }
    const Entry few = std::min(few_entries, graph.length(node));
    int joined = 0;
    for (Entry e = 0; e < few && joined < few_joined; ++e) {
      const Node other = graph.neighbor(node, e);
      if (labels[other] != labels[node] || other == node) continue;
      nodes.join(node, other);
      ++joined;
    }
    return few;
  });
  const auto point_to_smallest = [&](Node node) {
    nodes.point_to_smallest(node);
    return Entry{0};
  };
  for_nodes(point_to_smallest);
  const LargeVector<Node> largest = largest_sets(labels, components);
  for_nodes([&](Node node) {
    if (!is_read(node) || nodes.smallest(node) == nodes.smallest(largest[labels[node]])) {
      return Entry{0};
    }
    graph.for_each(node, [&](Node other, double) {
      if (labels[other] == labels[node]) nodes.join(node, other);
    });
    return graph.length(node);
  });
  for_nodes(point_to_smallest);
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
