#pragma once

#include "base/large_pages.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// A graph that owns its arrays, including the node arrays.
struct OwnedGraph {
  LargeVector<Entry> offsets;
  LargeVector<Node> indices;
  LargeVector<double> weights;  ///< empty: all 1
  LargeVector<double> volume;
  LargeVector<double> weight;  ///< empty: the counts
  LargeVector<Count> count;    ///< empty: all 1
  bool may_have_loops = true;

  GraphView view() const {
    const GraphView view = GraphView::compressed(
        static_cast<Node>(volume.size()), offsets.data(), true, indices.data(), wide_nodes,
        weights.data(), weights.empty() ? GraphView::Stored::none : GraphView::Stored::float64);
    return may_have_loops ? view : view.without_loops();
  }
  NodeArrays nodes() const {
    return {volume.data(), weight.empty() ? nullptr : weight.data(),
            count.empty() ? nullptr : count.data()};
  }
};

}  // namespace powercut
