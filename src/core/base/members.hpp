#pragma once

#include <span>

#include "base/large_pages.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"

namespace powercut {

/// The members of each cluster, in ascending order: cluster c has members[start[c]] to
/// members[start[c + 1] - 1].
struct Members {
  LargeVector<Node> start;
  LargeVector<Node> members;

  std::span<const Node> of(Label c) const {
    return {members.data() + start[c], members.data() + start[c + 1]};
  }
};

/// Labels must lie in [0, n_labels).
Members group_by_label(std::span<const Label> labels, Label n_labels);
Members group_by_label(std::span<const Label> labels, Label n_labels, ThreadTeam& team);

}  // namespace powercut
