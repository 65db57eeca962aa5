#include "search/conflicts.hpp"

#include "base/members.hpp"

namespace powercut {

OwnedConflicts aggregate(const Conflicts& conflicts, std::span<const Label> labels,
                         Label n_labels) {
  OwnedConflicts coarse;
  if (!conflicts.any()) return coarse;
  const Members clusters = group_by_label(labels, n_labels);
  coarse.apart.resize(n_labels, 0);
  coarse.offsets.reserve(n_labels + std::size_t{1});
  coarse.offsets.push_back(0);
  for (Label c = 0; c < n_labels; ++c) {
    const auto first = static_cast<std::ptrdiff_t>(coarse.others.size());
    for (const Node member : clusters.of(c)) {
      coarse.apart[c] |= conflicts.apart[member];
      for (const Node other : conflicts.of(member)) coarse.others.push_back(labels[other]);
    }
    std::sort(coarse.others.begin() + first, coarse.others.end());
    const auto end = std::unique(coarse.others.begin() + first, coarse.others.end());
    coarse.others.erase(end, coarse.others.end());
    coarse.offsets.push_back(static_cast<Entry>(coarse.others.size()));
  }
  return coarse;
}

ClusterConflicts::ClusterConflicts(const Conflicts& conflicts, std::span<const Label> labels,
                                   Label n_labels)
    : conflicts_(conflicts), labels_(labels) {
  if (!conflicts.any()) return;
  holds_apart_.resize(n_labels, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) holds_apart_[labels[i]] |= conflicts.apart[i];
}

}  // namespace powercut
