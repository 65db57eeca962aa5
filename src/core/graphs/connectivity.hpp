#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "graphs/pulls.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// Tests whether a cluster stays connected when a node leaves it, by a search inside the cluster
/// from one of the node's neighbors to all its others. The nodes of a cluster that it attracts
/// count as neighbors of each other.
class Connectivity {
 public:
  explicit Connectivity(Node n) : mark_(n, 0) {}

  bool survives_leaving(const GraphView& graph, std::span<const Label> labels,
                        const ClusterPulls& pulls, Node node, Ticker& ticker) {
    begin_walk();
    const Label own = labels[node];
    const std::int32_t wanted = round_;
    const std::int32_t seen = round_ + 1;
    std::int64_t missing = 0;
    Node start = -1;
    const auto want = [&](Node other) {
      if (other == node || labels[other] != own || mark_[other] == wanted) return;
      mark_[other] = wanted;
      start = other;
      ++missing;
    };
    graph.for_each(node, [&](Node other, double) { want(other); });
    if (pulls.attract(node, own)) std::ranges::for_each(pulls.attracted_by(own), want);
    if (missing <= 1) return true;
    mark_[node] = seen;
    mark_[start] = seen;
    --missing;
    stack_.assign(1, start);
    const auto reach = [&](Node other) {
      if (labels[other] != own || mark_[other] == seen) return;
      missing -= mark_[other] == wanted;
      mark_[other] = seen;
      stack_.push_back(other);
    };
    bool jumped = false;  // to all that the cluster attracts, from one of them
    while (!stack_.empty()) {
      const Node at = stack_.back();
      stack_.pop_back();
      graph.for_each(at, [&](Node other, double) { reach(other); });
      if (!jumped && pulls.attract(at, own)) {
        jumped = true;
        std::ranges::for_each(pulls.attracted_by(own), reach);
      }
      if (missing == 0) return true;
      ticker.tick(graph.length(at));
    }
    return false;
  }

 private:
  void begin_walk() {
    if (round_ > (std::int32_t{1} << 30)) {
      std::fill(mark_.begin(), mark_.end(), 0);
      round_ = 0;
    }
    round_ += 2;
  }

  std::vector<std::int32_t> mark_;
  std::vector<Node> stack_;
  std::int32_t round_ = 0;
};

}  // namespace powercut
