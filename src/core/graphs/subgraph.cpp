#include "graphs/subgraph.hpp"

#include <cstddef>

#include "base/large_pages.hpp"

namespace powercut {

void find_places(std::span<const Label> labels, Label n_labels, std::span<Node> place) {
  LargeVector<Node> next(n_labels, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) place[i] = next[labels[i]]++;
}

OwnedGraph inside(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
                  std::span<const Node> members, std::span<const Node> place, Ticker& ticker) {
  OwnedGraph part;
  const Label own = labels[members.front()];
  part.offsets.reserve(members.size() + 1);
  part.offsets.push_back(0);
  part.volume.reserve(members.size());
  // Room that is never used is never touched.
  Entry most = 0;
  for (const Node i : members) most += graph.length(i);
  part.indices.reserve(static_cast<std::size_t>(most));
  if (graph.is_weighted()) part.weights.reserve(static_cast<std::size_t>(most));
  for (const Node i : members) {
    graph.for_each(i, [&](Node other, double w) POWERCUT_INLINE {
      if (labels[other] != own) return;
      part.indices.push_back(place[other]);
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

void keep_only(OwnedGraph& graph, std::span<const Label> labels, std::span<const Node> members,
               std::span<const Node> place, Ticker& ticker) {
  const Label own = labels[members.front()];
  const bool is_weighted = !graph.weights.empty();
  Entry to = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const Node i = members[k];
    const Entry begin = graph.offsets[i], end = graph.offsets[i + 1];
    // Nothing is written over before it was read: a member comes no earlier than its place.
    graph.offsets[k] = to;
    for (Entry e = begin; e < end; ++e) {
      if (labels[graph.indices[e]] != own) continue;
      graph.indices[to] = place[graph.indices[e]];
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
