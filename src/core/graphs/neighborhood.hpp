#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/types.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// The clusters adjacent to a node and the weight of its edges to each. The hash table is just
/// large enough for the node, so that it stays in the L1 cache; links keep the order of first
/// appearance.
class Neighborhood {
 public:
  /// Position in the table, or in the links.
  using Place = std::make_unsigned_t<Label>;

  struct Link {
    Label label;
    Place slot;
    double weight;
  };

  /// Sums the node's edges to each label in [0, n_labels), to all neighbors or to those of its own
  /// group; returns the weight of its self-loops. Calls prefetch(label) for each edge first. There
  /// is room for links to some more labels, to be added later.
  template <class Prefetch>
  double gather(const GraphView& graph, Node node, std::span<const Label> labels, Label n_labels,
                const Label* within, Prefetch&& prefetch, std::size_t more = 0) {
    const std::size_t length = static_cast<std::size_t>(graph.length(node));
    if (labels_.size() < length) {
      labels_.resize(length);
      weights_.resize(length);
    }
    // Labels are read at random addresses: reading all before using any lets the loads overlap.
    Label* const met = labels_.data();
    double* const weight = weights_.data();
    const Label* const label = labels.data();
    std::size_t n = 0;
    double loops = 0;
    graph.for_each(
        node,
        [=, &n, &loops](Node other, double w) POWERCUT_INLINE {
          met[n] = label[other];
          weight[n] = w;
          loops += other == node ? w : 0;
          n += other != node && (within == nullptr || within[other] == within[node]);
        },
        label);
    reset(std::min<std::int64_t>(static_cast<std::int64_t>(n + more), n_labels));
    for (std::size_t e = 0; e < n; ++e) {
      prefetch(met[e]);
      add(met[e], weight[e]);
    }
    return loops;
  }

  double gather(const GraphView& graph, Node node, std::span<const Label> labels, Label n_labels) {
    return gather(graph, node, labels, n_labels, nullptr, [](Label) {});
  }

  /// Removes all links and makes room for `capacity` clusters.
  void reset(std::int64_t capacity) {
    for (const Link& link : links()) table_[link.slot] = 0;
    n_links_ = 0;
    const std::size_t slots = std::bit_ceil(static_cast<std::size_t>(4 * capacity + 2));
    if (slots > table_.size()) table_.resize(slots, 0);
    if (links_.size() <= static_cast<std::size_t>(capacity)) {
      links_.resize(capacity + std::size_t{1});
    }
    mask_ = static_cast<Place>(slots - 1);
    shift_ = 64 - std::countr_zero(slots);
  }

  /// Adds the weight of an edge to a cluster. Without branches: whether the cluster is new is
  /// unpredictable.
  void add(Label label, double weight) {
    const Place slot = slot_of(label);
    const bool first = table_[slot] == 0;
    n_links_ += first;
    const Place place = first ? n_links_ : table_[slot];
    table_[slot] = place;
    links_[place] = {label, slot, (first ? 0 : links_[place].weight) + weight};
  }

  double weight_to(Label label) {
    const Place place = table_[slot_of(label)];
    return place == 0 ? 0 : links_[place].weight;
  }

  std::span<const Link> links() const { return {links_.data() + 1, n_links_}; }

 private:
  /// The slot of a label, or the free slot where it belongs.
  Place slot_of(Label label) {
    Place slot =
        static_cast<Place>((static_cast<std::uint64_t>(label) * 0x9e3779b97f4a7c15U) >> shift_);
    links_[0].label = label;  // sentinel: free slots refer to it
    while (links_[table_[slot]].label != label) slot = (slot + 1) & mask_;
    return slot;
  }

  std::vector<Place> table_ = std::vector<Place>(2, 0);  ///< index into links_; 0: free
  std::vector<Link> links_ = std::vector<Link>(1);
  Place n_links_ = 0;
  Place mask_ = 1;
  int shift_ = 63;
  std::vector<Label> labels_;
  std::vector<double> weights_;
};

}  // namespace powercut
