#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "random.hpp"
#include "types.hpp"

namespace powercut {

/// An order that depends on the seed alone and visits every part of a graph evenly: steps of
/// one length round each window of nodes. Large graphs are worked through window after
/// window, so that a window's rows can be held near.
class Order {
 public:
  Order(Node n, std::uint64_t seed) : n_(n), random_(seed) {}

  /// Calls visit(node) for every node.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (Node begin = 0; begin < n_; begin += std::min(window, n_ - begin)) {
      const Node length = std::min(window, n_ - begin);
      Node step = 1 + static_cast<Node>(random_.below(length));
      while (std::gcd(step, length) != 1) step = step % length + 1;
      Node at = static_cast<Node>(random_.below(length));
      for (Node i = 0; i < length; ++i) {
        visit(begin + at);
        at = at >= length - step ? at - (length - step) : at + step;
      }
    }
  }

 private:
  static constexpr Node window = 1 << 20;
  Node n_;
  Random random_;
};

}  // namespace powercut
