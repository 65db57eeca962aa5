#include "graphs/aggregation.hpp"

#include <algorithm>
#include <vector>

#include "base/members.hpp"
#include "base/threads.hpp"
#include "graphs/long_rows.hpp"
#include "graphs/neighborhood.hpp"
#include "graphs/row_prefetch.hpp"

namespace powercut {
namespace {

/// Consecutive rows of a coarse graph, computed by one thread.
class CoarseRows {
 public:
  /// `ticker` is null on threads that do not check for cancellation.
  void make(const GraphView& graph, std::span<const Label> labels, Label n_labels,
            const Members& groups, Label first, Label last, Neighborhood& neighborhood,
            Ticker* ticker) {
    lengths_.clear();
    indices_.clear();
    weights_.clear();
    for (Label c = first; c < last; ++c) {
      gather(graph, labels, n_labels, groups.of(c), neighborhood, ticker);
      add_row(neighborhood);
    }
  }

  /// Adds a long row after the others.
  void make_long(Label group, Entry entries, Label n_labels, LongRows& rows,
                 Neighborhood& neighborhood) {
    neighborhood.reset(std::min<Entry>(entries, n_labels));
    rows.gather(
        group, [](Label other) { return other; }, n_labels, nullptr, neighborhood);
    add_row(neighborhood);
  }

  Entry size() const { return static_cast<Entry>(indices_.size()); }

  void append_to(OwnedGraph& coarse) const {
    for (const Entry length : lengths_) coarse.offsets.push_back(coarse.offsets.back() + length);
    coarse.indices.insert(coarse.indices.end(), indices_.begin(), indices_.end());
    coarse.weights.insert(coarse.weights.end(), weights_.begin(), weights_.end());
  }

 private:
  void add_row(const Neighborhood& neighborhood) {
    for (const auto& [label, slot, weight] : neighborhood.links()) {
      indices_.push_back(label);
      weights_.push_back(weight);
    }
    lengths_.push_back(static_cast<Entry>(neighborhood.links().size()));
  }

  void gather(const GraphView& graph, std::span<const Label> labels, Label n_labels,
              std::span<const Node> members, Neighborhood& neighborhood, Ticker* ticker) {
    neighborhood.reset(std::min<Entry>(graph.length_of(members), n_labels));
    for (std::size_t m = 0; m < members.size(); ++m) {
      const Node i = members[m];
      prefetch_next_rows(graph, members, m, labels.data());
      // Labels are read at random addresses: reading all before using any lets the loads overlap.
      labels_.resize(static_cast<std::size_t>(graph.length(i)));
      std::size_t e = 0;
      graph.for_each(i, [&](Node j, double) POWERCUT_INLINE { labels_[e++] = labels[j]; });
      e = 0;
      graph.for_each(i, [&](Node, double w) POWERCUT_INLINE { neighborhood.add(labels_[e++], w); });
      if (ticker != nullptr) ticker->tick(1 + graph.length(i));
    }
  }

  std::vector<Label> labels_;
  std::vector<Entry> lengths_;
  std::vector<Node> indices_;
  std::vector<double> weights_;
};

}  // namespace

OwnedGraph aggregate_nodes(const NodeArrays& nodes, std::span<const Label> labels, Label n_labels,
                           const Clusters& sums) {
  OwnedGraph coarse;
  coarse.volume.assign(n_labels, 0);
  coarse.count.assign(n_labels, 0);
  if (nodes.weight != nullptr) coarse.weight.assign(n_labels, 0);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    coarse.volume[c] = sums[c].volume;
    coarse.count[c] = sums[c].count;
    if (nodes.weight != nullptr) coarse.weight[c] = sums[c].weight;
  }
  if (!sums.empty()) return coarse;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const ClusterStats node = nodes.singleton(static_cast<Node>(i), 0);
    coarse.volume[labels[i]] += node.volume;
    coarse.count[labels[i]] += node.count;
    if (nodes.weight != nullptr) coarse.weight[labels[i]] += node.weight;
  }
  return coarse;
}

bool aggregate_edges(const GraphView& graph, std::span<const Label> labels, const Members& groups,
                     Entry most, int n_threads, CancellationToken& token, OwnedGraph& coarse) {
  constexpr Entry entries_per_part = 1 << 15;
  const Label n_labels = static_cast<Label>(coarse.volume.size());
  coarse.offsets.reserve(n_labels + std::size_t{1});
  coarse.offsets.push_back(0);
  // Reserved pages that are never written cost no memory; growing would copy the arrays repeatedly.
  const Entry room =
      most / std::max<Label>(n_labels, 1) < n_labels ? most : Entry{n_labels} * n_labels;
  coarse.indices.reserve(static_cast<std::size_t>(room));
  coarse.weights.reserve(static_cast<std::size_t>(room));

  Ticker ticker(token);
  ThreadTeam team(
      static_cast<int>(std::clamp<Entry>(graph.size() / (8 * entries_per_part), 1, n_threads)));
  const GraphView grouped =
      GraphView::grouped(graph, groups, labels.data(), coarse.offsets.data(), n_labels);
  LongRows long_rows(grouped, team, ticker);
  // A few parts per thread, appended in order, until the last row is done.
  std::vector<CoarseRows> parts(team.size() == 1 ? 1 : 4 * team.size());
  std::vector<Neighborhood> neighborhood(team.size());
  std::vector<Label> ends(parts.size() + 1);
  for (Label next = 0; next < n_labels; next = ends.back()) {
    ends.front() = next;
    Entry long_entries = 0;  // of the row after those of the parts, if it is long
    for (std::size_t p = 0; p < parts.size(); ++p) {
      Label end = ends[p];
      for (Entry entries = 0; long_entries == 0 && end < n_labels && entries < entries_per_part;) {
        const Entry more = graph.length_of(groups.of(end));
        if (more > long_row) {
          long_entries = more;
        } else {
          entries += std::ssize(groups.of(end++)) + more;
        }
      }
      ends[p + 1] = end;
    }
    team.for_ranges(static_cast<Entry>(parts.size()), 1,
                    [&](int thread, std::int64_t p, std::int64_t) {
                      parts[p].make(graph, labels, n_labels, groups, ends[p], ends[p + 1],
                                    neighborhood[thread], thread == 0 ? &ticker : nullptr);
                    });
    if (long_entries > 0) {
      parts.back().make_long(ends.back()++, long_entries, n_labels, long_rows,
                             neighborhood.front());
    }
    for (const CoarseRows& part : parts) {
      if (part.size() > most - static_cast<Entry>(coarse.indices.size())) return false;
      part.append_to(coarse);
    }
  }
  return true;
}

OwnedGraph aggregate(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
                     Label n_labels, int n_threads, CancellationToken& token) {
  OwnedGraph coarse = aggregate_nodes(nodes, labels, n_labels);
  aggregate_edges(graph, labels, group_by_label(labels, n_labels), graph.size(), n_threads, token,
                  coarse);
  return coarse;
}

OwnedGraph join_nodes(const GraphView& graph, const NodeArrays& nodes,
                      std::span<const Label> labels, Label n_labels, CancellationToken& token) {
  Ticker ticker(token);
  OwnedGraph joined = aggregate_nodes(nodes, labels, n_labels);
  const Members groups = group_by_label(labels, n_labels);
  joined.offsets.reserve(n_labels + std::size_t{1});
  joined.offsets.push_back(0);
  joined.indices.reserve(static_cast<std::size_t>(graph.size()));
  for (Label c = 0; c < n_labels; ++c) {
    for (const Node i : groups.of(c)) {
      graph.for_each(
          i, [&](Node other, double) POWERCUT_INLINE { joined.indices.push_back(labels[other]); });
      ticker.tick(1 + graph.length(i));
    }
    std::sort(joined.indices.begin() + joined.offsets.back(), joined.indices.end());
    joined.offsets.push_back(static_cast<Entry>(joined.indices.size()));
  }
  return joined;
}

}  // namespace powercut
