#include "graphs/subgraph.hpp"

#include <cstddef>

#include "base/large_pages.hpp"
#include "graphs/row_prefetch.hpp"

namespace powercut {

void number_within_clusters(std::span<const Label> labels, Label n_labels,
                            std::span<Node> index_in_cluster) {
  LargeVector<Node> next(n_labels, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) index_in_cluster[i] = next[labels[i]]++;
}

OwnedGraph cluster_graph(const GraphView& graph, const NodeArrays& nodes,
                         std::span<const Label> labels, std::span<const Node> members,
                         std::span<const Node> index_in_cluster, Ticker& ticker) {
  OwnedGraph part;
  const Label own = labels[members.front()];
  part.offsets.reserve(members.size() + 1);
  part.offsets.push_back(0);
  part.volume.reserve(members.size());
  // An upper bound: reserved pages that are never written cost no memory.
  Entry max_entries = 0;
  for (const Node i : members) max_entries += graph.length(i);
  part.indices.reserve(static_cast<std::size_t>(max_entries));
  if (graph.is_weighted()) part.weights.reserve(static_cast<std::size_t>(max_entries));
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Node i = members[m];
    prefetch_next_rows(graph, members, m, labels.data());
    graph.for_each(i, [&](Node other, double w) POWERCUT_INLINE {
      if (labels[other] != own) return;
      part.indices.push_back(index_in_cluster[other]);
      if (graph.is_weighted()) part.weights.push_back(w);
    });
    part.offsets.push_back(static_cast<Entry>(part.indices.size()));
    part.volume.push_back(nodes.volume[i]);
    if (nodes.weight != nullptr) part.weight.push_back(nodes.weight[i]);
    if (nodes.count != nullptr) part.count.push_back(nodes.count[i]);
    ticker.tick(1 + graph.length(i));
  }
  return part;
}

OwnedGraph cluster_graph(const GraphView& graph, const NodeArrays& nodes,
                         std::span<const Label> labels, Label cluster, Ticker& ticker) {
  LargeVector<Node> members;
  LargeVector<Node> index_in_cluster(labels.size());
  for (Node i = 0; i < graph.rows(); ++i) {
    if (labels[i] != cluster) continue;
    index_in_cluster[i] = static_cast<Node>(members.size());
    members.push_back(i);
  }
  return cluster_graph(graph, nodes, labels, members, index_in_cluster, ticker);
}

void keep_cluster(OwnedGraph& graph, std::span<const Label> labels, std::span<const Node> members,
                  std::span<const Node> index_in_cluster, Ticker& ticker) {
  const Label own = labels[members.front()];
  const bool is_weighted = !graph.weights.empty();
  Entry to = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const Node i = members[k];
    const Entry begin = graph.offsets[i], end = graph.offsets[i + 1];
    // Safe in place: a member's index in the cluster never exceeds its number in the graph.
    graph.offsets[k] = to;
    for (Entry e = begin; e < end; ++e) {
      if (labels[graph.indices[e]] != own) continue;
      graph.indices[to] = index_in_cluster[graph.indices[e]];
      if (is_weighted) graph.weights[to] = graph.weights[e];
      ++to;
    }
    graph.volume[k] = graph.volume[i];
    if (!graph.weight.empty()) graph.weight[k] = graph.weight[i];
    if (!graph.count.empty()) graph.count[k] = graph.count[i];
    ticker.tick(1 + end - begin);
  }
  graph.offsets[members.size()] = to;
  graph.offsets.resize(members.size() + 1);
  graph.indices.resize(static_cast<std::size_t>(to));
  if (is_weighted) graph.weights.resize(static_cast<std::size_t>(to));
  graph.volume.resize(members.size());
  if (!graph.weight.empty()) graph.weight.resize(members.size());
  if (!graph.count.empty()) graph.count.resize(members.size());
}

}  // namespace powercut
