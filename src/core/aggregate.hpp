#pragma once

#include <span>

#include "cancel.hpp"
#include "clusters.hpp"
#include "graph_view.hpp"
#include "members.hpp"
#include "pages.hpp"
#include "types.hpp"

namespace powercut {

/// A graph that owns its arrays, which nodes may carry as in NodeArrays.
struct OwnedGraph {
  LargeVector<Entry> offsets;
  LargeVector<Node> indices;
  LargeVector<double> weights;  ///< empty where all are 1
  LargeVector<double> volume;
  LargeVector<double> weight;  ///< empty where the nodes have none
  LargeVector<Count> count;    ///< empty where all are 1

  GraphView view() const {
    return GraphView::compressed(static_cast<Node>(volume.size()), offsets.data(), true,
                                 indices.data(), false, weights.data(),
                                 weights.empty() ? GraphView::Stored::none
                                                 : GraphView::Stored::float64);
  }
  NodeArrays nodes() const {
    return {volume.data(), weight.empty() ? nullptr : weight.data(),
            count.empty() ? nullptr : count.data()};
  }
};

/// The graph whose nodes are the clusters of another: J of any partition of it is J of the same
/// partition of the original nodes. Labels must fill [0, n_labels).
OwnedGraph aggregate(const GraphView& graph, const NodeArrays& nodes,
                     std::span<const Label> labels, Label n_labels, int n_threads,
                     Cancel& cancel);

/// What the nodes of that graph carry, without its edges.
OwnedGraph aggregate_nodes(const NodeArrays& nodes, std::span<const Label> labels, Label n_labels);

/// Gives it the edges, if they are no more than `most` entries; says whether they are.
bool aggregate_edges(const GraphView& graph, std::span<const Label> labels, const Members& groups,
                     Entry most, int n_threads, Cancel& cancel, OwnedGraph& coarse);

}  // namespace powercut
