#pragma once

#include <cstdint>
#include <span>

#include "base/threads.hpp"
#include "base/types.hpp"

namespace powercut {

/// Replaces each label by the new one.
inline void relabel(std::span<Label> labels, std::span<const Label> new_label, ThreadTeam& team) {
  constexpr std::int64_t range = 1 << 14;
  team.for_ranges(std::ssize(labels), range, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) labels[i] = new_label[labels[i]];
  });
}

}  // namespace powercut
