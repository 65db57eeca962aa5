#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "base/random.hpp"
#include "base/types.hpp"

namespace powercut {

/// A visiting order that depends on the seed alone and spreads over the graph: runs of consecutive
/// nodes, whose rows are adjacent in memory, at a fixed random stride modulo the window. Large
/// graphs are visited window by window, so that the rows of a window can stay in memory.
class Order {
 public:
  Order(Node n, std::uint64_t seed) : n_(n), random_(seed) {}

  /// Calls visit(node) for every node, in runs of `run` (a power of two) consecutive nodes.
  template <class Visit>
  void for_each(Node run, Visit&& visit) {
    for (Node begin = 0; begin < n_; begin += std::min(window, n_ - begin)) {
      const Node length = std::min(window, n_ - begin);
      const Node runs = (length - 1) / run + 1;
      Node step = 1 + static_cast<Node>(random_.below(runs));
      while (std::gcd(step, runs) != 1) step = step % runs + 1;
      Node at = static_cast<Node>(random_.below(runs));
      for (Node i = 0; i < runs; ++i) {
        const Node first = at * run;
        for (Node k = first; k < std::min(first + run, length); ++k) visit(begin + k);
        at = at >= runs - step ? at - (runs - step) : at + step;
      }
    }
  }

 private:
  static constexpr Node window = 1 << 20;
  Node n_;
  Random random_;
};

}  // namespace powercut
