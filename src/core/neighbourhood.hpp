#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "types.hpp"

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

  /// Forgets what is in it and makes room for so many clusters.
  void begin(std::int64_t most) {
    for (const Link& link : links_) table_[link.slot] = 0;
    links_.clear();
    const std::size_t slots = std::bit_ceil(static_cast<std::size_t>(2 * most + 2));
    if (slots > table_.size()) table_.resize(slots, 0);
    mask_ = static_cast<std::uint32_t>(slots - 1);
    shift_ = 64 - std::countr_zero(slots);
  }

  /// Adds the weight of an edge to a cluster; returns whether the cluster is met first.
  bool add(Label label, double weight) {
    const std::uint32_t slot = slot_of(label);
    const std::uint32_t place = table_[slot];
    if (place != 0) {
      links_[place - 1].weight += weight;
      return false;
    }
    links_.push_back({label, slot, weight});
    table_[slot] = static_cast<std::uint32_t>(links_.size());
    return true;
  }

  double weight_to(Label label) const {
    const std::uint32_t place = table_[slot_of(label)];
    return place == 0 ? 0 : links_[place - 1].weight;
  }

  std::span<const Link> links() const { return links_; }

 private:
  /// The slot where a label stands, or the free one where it would.
  std::uint32_t slot_of(Label label) const {
    std::uint32_t slot =
        static_cast<std::uint32_t>((static_cast<std::uint64_t>(label) * 0x9e3779b97f4a7c15U) >> shift_);
    while (table_[slot] != 0 && links_[table_[slot] - 1].label != label) slot = (slot + 1) & mask_;
    return slot;
  }

  std::vector<std::uint32_t> table_ = std::vector<std::uint32_t>(2, 0);  ///< place in links_ + 1
  std::vector<Link> links_;
  std::uint32_t mask_ = 1;
  int shift_ = 63;
};

}  // namespace powercut
