#include "graphs/subgraph.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/large_pages.hpp"
#include "graphs/row_prefetch.hpp"

namespace powercut {
namespace {

/// The rows of some members of a cluster, without what leads out of it.
class RowsInside {
 public:
  /// `ticker` is null on threads that do not check for cancellation.
  void make(const GraphView& graph, std::span<const Label> labels, std::span<const Node> members,
            std::span<const Node> index_in_cluster, Ticker* ticker) {
    const std::size_t most = static_cast<std::size_t>(graph.length_of(members)) + 1;
    if (indices_.size() < most) indices_.resize(most);
    if (graph.is_weighted() && weights_.size() < most) weights_.resize(most);
    lengths_.clear();
    const Label own = labels[members.front()];
    size_ = 0;
    n_loops_ = 0;
    for (std::size_t m = 0; m < members.size(); ++m) {
      prefetch_next_rows(graph, members, m, labels.data());
      const std::size_t begin = size_;
      // Without branches: whether a neighbor is in the cluster is unpredictable. What is written
      // for one that is not is overwritten.
      graph.for_each(members[m], [&](Node other, double w) POWERCUT_INLINE {
        indices_[size_] = other;
        if (graph.is_weighted()) weights_[size_] = w;
        size_ += labels[other] == own;
        n_loops_ += other == members[m];
      });
      for (std::size_t e = begin; e < size_; ++e) indices_[e] = index_in_cluster[indices_[e]];
      lengths_.push_back(static_cast<Entry>(size_ - begin));
      if (ticker != nullptr) ticker->tick(1 + graph.length(members[m]));
    }
  }

  void append_to(OwnedGraph& cluster) const {
    for (const Entry length : lengths_) cluster.offsets.push_back(cluster.offsets.back() + length);
    const auto append = [&](auto& all, const auto& some) {
      all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(size_));
    };
    append(cluster.indices, indices_);
    if (!weights_.empty()) append(cluster.weights, weights_);
    cluster.may_have_loops |= n_loops_ > 0;
  }

 private:
  std::vector<Entry> lengths_;
  std::vector<Node> indices_;    ///< of which `size_` count
  std::vector<double> weights_;  ///< as many, or none
  std::size_t size_ = 0;
  std::size_t n_loops_ = 0;
};

}  // namespace

void number_within_clusters(std::span<const Label> labels, Label n_labels,
                            std::span<Node> index_in_cluster) {
  LargeVector<Node> next(n_labels, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) index_in_cluster[i] = next[labels[i]]++;
}

OwnedGraph cluster_graph(const GraphView& graph, const NodeArrays& nodes,
                         std::span<const Label> labels, std::span<const Node> members,
                         std::span<const Node> index_in_cluster, ThreadTeam& team, Ticker& ticker) {
  constexpr std::size_t per_part = 1 << 10;
  OwnedGraph cluster;
  cluster.may_have_loops = false;
  cluster.offsets.reserve(members.size() + 1);
  cluster.offsets.push_back(0);
  // An upper bound: reserved pages that are never written cost no memory.
  const Entry most = graph.length_of(members);
  cluster.indices.reserve(static_cast<std::size_t>(most));
  if (graph.is_weighted()) cluster.weights.reserve(static_cast<std::size_t>(most));
  std::vector<RowsInside> parts(team.size() == 1 ? 1 : 4 * team.size());
  const std::size_t at_once = parts.size() * per_part;
  for (std::size_t first = 0; first < members.size(); first += at_once) {
    const std::span<const Node> some =
        members.subspan(first, std::min(at_once, members.size() - first));
    team.for_ranges(
        std::ssize(some), per_part, [&](int thread, std::int64_t begin, std::int64_t end) {
          parts[begin / per_part].make(graph, labels, some.subspan(begin, end - begin),
                                       index_in_cluster, thread == 0 ? &ticker : nullptr);
        });
    const std::size_t n_parts = (some.size() + per_part - 1) / per_part;
    for (std::size_t p = 0; p < n_parts; ++p) parts[p].append_to(cluster);
  }
  cluster.volume.reserve(members.size());
  for (const Node i : members) {
    cluster.volume.push_back(nodes.volume[i]);
    if (nodes.weight != nullptr) cluster.weight.push_back(nodes.weight[i]);
    if (nodes.count != nullptr) cluster.count.push_back(nodes.count[i]);
  }
  return cluster;
}

OwnedGraph cluster_graph(const GraphView& graph, const NodeArrays& nodes,
                         std::span<const Label> labels, Label cluster, ThreadTeam& team,
                         Ticker& ticker) {
  LargeVector<Node> members;
  LargeVector<Node> index_in_cluster(labels.size());
  for (Node i = 0; i < graph.rows(); ++i) {
    if (labels[i] != cluster) continue;
    index_in_cluster[i] = static_cast<Node>(members.size());
    members.push_back(i);
  }
  return cluster_graph(graph, nodes, labels, members, index_in_cluster, team, ticker);
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
