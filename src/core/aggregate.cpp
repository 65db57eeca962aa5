#include "aggregate.hpp"

#include <numeric>

namespace powercut {

Members group_by_label(std::span<const Label> labels, Label n_labels) {
  Members groups{std::vector<Node>(n_labels + std::size_t{1}, 0), std::vector<Node>(labels.size())};
  for (const Label c : labels) ++groups.start[c + 1];
  std::partial_sum(groups.start.begin(), groups.start.end(), groups.start.begin());
  std::vector<Node> next(groups.start.begin(), groups.start.end() - 1);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    groups.members[next[labels[i]]++] = static_cast<Node>(i);
  }
  return groups;
}

CoarseGraph aggregate(const GraphView& graph, const NodeArrays& nodes,
                      std::span<const Label> labels, Label n_labels, Cancel& cancel) {
  const Members groups = group_by_label(labels, n_labels);
  CoarseGraph coarse;
  coarse.offsets.reserve(n_labels + std::size_t{1});
  coarse.offsets.push_back(0);
  coarse.volume.assign(n_labels, 0);
  coarse.count.assign(n_labels, 0);
  if (nodes.weight != nullptr) coarse.weight.assign(n_labels, 0);

  Ticker ticker(cancel);
  // Where the coarse row under work keeps a neighbour; earlier rows' places lie below its start.
  std::vector<Entry> place(n_labels, -1);
  for (Label c = 0; c < n_labels; ++c) {
    const Entry start = static_cast<Entry>(coarse.indices.size());
    for (Node m = groups.start[c]; m < groups.start[c + 1]; ++m) {
      const Node i = groups.members[m];
      coarse.volume[c] += nodes.volume[i];
      coarse.count[c] += nodes.count == nullptr ? 1 : nodes.count[i];
      if (nodes.weight != nullptr) coarse.weight[c] += nodes.weight[i];
      graph.for_each(i, [&](Node j, double w) {
        const Label other = labels[j];
        if (place[other] < start) {
          place[other] = static_cast<Entry>(coarse.indices.size());
          coarse.indices.push_back(other);
          coarse.weights.push_back(0);
        }
        coarse.weights[place[other]] += w;
      });
      ticker.tick(1 + graph.length(i));
    }
    coarse.offsets.push_back(static_cast<Entry>(coarse.indices.size()));
  }
  return coarse;
}

}  // namespace powercut
