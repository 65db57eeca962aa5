#include "graphs/components.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/large_pages.hpp"
#include "graphs/row_prefetch.hpp"

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

}  // namespace

Label split_components(const GraphView& graph, std::span<const Label> labels,
                       std::span<Label> components, CancellationToken& token,
                       std::span<const bool> may_split) {
  Ticker ticker(token);
  std::vector<Label> whole(may_split.size(), -1);  // the component of each cluster that has one
  std::fill(components.begin(), components.end(), -1);
  // All nodes in the order in which they are reached: first in, first out, so that it is known
  // which rows follow.
  LargeVector<Node> reached(graph.rows());
  std::size_t n_reached = 0;
  Label n_components = 0;
  for (Node root = 0; root < graph.rows(); ++root) {
    if (components[root] >= 0) continue;
    if (!may_split.empty() && !may_split[labels[root]]) {
      Label& component = whole[labels[root]];
      if (component < 0) component = n_components++;
      components[root] = component;
      continue;
    }
    components[root] = n_components;
    std::size_t at = n_reached;
    reached[n_reached++] = root;
    for (; at < n_reached; ++at) {
      const Node node = reached[at];
      prefetch_next_rows(graph, std::span<const Node>(reached.data(), n_reached), at,
                         components.data());
      graph.for_each(node, [&](Node other, double) POWERCUT_INLINE {
        if (components[other] >= 0 || labels[other] != labels[node]) return;
        components[other] = n_components;
        reached[n_reached++] = other;
      });
      ticker.tick(1 + graph.length(node));
    }
    ++n_components;
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
