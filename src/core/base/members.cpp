#include "base/members.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace powercut {

Members group_by_label(std::span<const Label> labels, Label n_labels) {
  ThreadTeam alone(1);
  return group_by_label(labels, n_labels, alone);
}

Members group_by_label(std::span<const Label> labels, Label n_labels, ThreadTeam& team) {
  constexpr std::int64_t many = 1 << 16;
  Members groups{LargeVector<Node>(n_labels + std::size_t{1}, 0), LargeVector<Node>(labels.size())};
  // Each thread reads all labels, and counts those in its range of labels: what takes time is not
  // to read them one after the other but to write at random addresses.
  const std::int64_t n_parts = std::ssize(labels) < many ? 1 : team.size();
  std::vector<Label> first(n_parts + std::size_t{1}, n_labels);
  const auto for_each_node = [&](auto&& visit) {
    team.for_ranges(n_parts, 1, [&](int, std::int64_t part, std::int64_t) {
      for (std::size_t i = 0; i < labels.size(); ++i) {
        const Label c = labels[i];
        if (c >= first[part] && c < first[part + 1]) visit(static_cast<Node>(i), c);
      }
    });
  };
  for (std::int64_t part = 0; part < n_parts; ++part) {
    first[part] = static_cast<Label>(part * n_labels / n_parts);
  }
  for_each_node([&](Node, Label c) { ++groups.start[c + 1]; });
  std::partial_sum(groups.start.begin(), groups.start.end(), groups.start.begin());
  for (std::int64_t part = 1; part < n_parts; ++part) {
    const auto at = std::ranges::lower_bound(groups.start, part * std::ssize(labels) / n_parts);
    first[part] = std::min(static_cast<Label>(at - groups.start.begin()), n_labels);
  }
  LargeVector<Node> next(groups.start.begin(), groups.start.end() - 1);
  for_each_node([&](Node i, Label c) { groups.members[next[c]++] = i; });
  return groups;
}

}  // namespace powercut
