#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// What joins a node to the clusters around it: a hash table just large enough for the
/// node, so that it stays in the nearest cache, and its links in the order they were met.
class Neighbourhood {
 public:
  struct Link {
    Label label;
    std::uint32_t slot;
    double weight;
  };

  /// Sums a node's edges to each label, in [0, n_labels), of its neighbours, or of those in
  /// the same group; returns its loops. Calls expect(label) for each edge, before the sums
  /// are there.
  template <class Expect>
  double look(const GraphView& graph, Node node, std::span<const Label> labels, Label n_labels,
              const Label* within, Expect&& expect) {
    const std::size_t length = static_cast<std::size_t>(graph.length(node));
    if (labels_.size() < length) {
      labels_.resize(length);
      weights_.resize(length);
    }
    // Labels lie all over the memory: read before any is used, many are fetched at a time.
    Label* const met = labels_.data();
    double* const weight = weights_.data();
    const Label* const label = labels.data();
    std::size_t n = 0;
    double loops = 0;
    graph.for_each(node, [=, &n, &loops](Node other, double w) POWERCUT_INLINE {
      met[n] = label[other];
      weight[n] = w;
      loops += other == node ? w : 0;
      n += other != node && (within == nullptr || within[other] == within[node]);
    });
    begin(std::min<std::int64_t>(static_cast<std::int64_t>(n), n_labels));
    for (std::size_t e = 0; e < n; ++e) {
      expect(met[e]);
      add(met[e], weight[e]);
    }
    return loops;
  }

  double look(const GraphView& graph, Node node, std::span<const Label> labels, Label n_labels) {
    return look(graph, node, labels, n_labels, nullptr, [](Label) {});
  }

  /// Forgets what is in it and makes room for so many clusters.
  void begin(std::int64_t most) {
    for (const Link& link : links()) table_[link.slot] = 0;
    n_links_ = 0;
    const std::size_t slots = std::bit_ceil(static_cast<std::size_t>(4 * most + 2));
    if (slots > table_.size()) table_.resize(slots, 0);
    if (links_.size() <= static_cast<std::size_t>(most)) links_.resize(most + std::size_t{1});
    mask_ = static_cast<std::uint32_t>(slots - 1);
    shift_ = 64 - std::countr_zero(slots);
  }

  /// Adds the weight of an edge to a cluster. Whether the cluster is met first is anybody's
  /// guess, so nothing here branches on it.
  void add(Label label, double weight) {
    const std::uint32_t slot = slot_of(label);
    const bool first = table_[slot] == 0;
    n_links_ += first;
    const std::uint32_t place = first ? n_links_ : table_[slot];
    table_[slot] = place;
    links_[place] = {label, slot, (first ? 0 : links_[place].weight) + weight};
  }

  double weight_to(Label label) {
    const std::uint32_t place = table_[slot_of(label)];
    return place == 0 ? 0 : links_[place].weight;
  }

  std::span<const Link> links() const { return {links_.data() + 1, n_links_}; }

 private:
  /// The slot where a label stands, or the free one where it would.
  std::uint32_t slot_of(Label label) {
    std::uint32_t slot = static_cast<std::uint32_t>(
        (static_cast<std::uint64_t>(label) * 0x9e3779b97f4a7c15U) >> shift_);
    links_[0].label = label;  // what a free slot leads to
    while (links_[table_[slot]].label != label) slot = (slot + 1) & mask_;
    return slot;
  }

  std::vector<std::uint32_t> table_ = std::vector<std::uint32_t>(2, 0);  ///< place in links_
  std::vector<Link> links_ = std::vector<Link>(1);
  std::uint32_t n_links_ = 0;
  std::uint32_t mask_ = 1;
  int shift_ = 63;
  std::vector<Label> labels_;
  std::vector<double> weights_;
};

}  // namespace powercut
