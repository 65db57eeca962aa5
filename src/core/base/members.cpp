#include "base/members.hpp"

#include <cstddef>
#include <numeric>

namespace powercut {

Members group_by_label(std::span<const Label> labels, Label n_labels) {
  Members groups{LargeVector<Node>(n_labels + std::size_t{1}, 0), LargeVector<Node>(labels.size())};
  for (const Label c : labels) ++groups.start[c + 1];
  std::partial_sum(groups.start.begin(), groups.start.end(), groups.start.begin());
  LargeVector<Node> next(groups.start.begin(), groups.start.end() - 1);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    groups.members[next[labels[i]]++] = static_cast<Node>(i);
  }
  return groups;
}

}  // namespace powercut
