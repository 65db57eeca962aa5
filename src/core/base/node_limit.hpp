#pragma once

#include <cstdint>
#include <limits>

#include "base/types.hpp"

namespace powercut {

/// How many nodes a graph may have: their number is a node number, too.
constexpr std::int64_t most_nodes = std::numeric_limits<Node>::max();

/// The error of a graph with more, and what to do.
constexpr char too_many_nodes[] =
    "a graph has at most "
#if POWERCUT_NODE_BITS == 64
    "2^63 - 1 nodes";
#else
    "2^31 - 1 nodes; for more, build powercut with 64-bit node numbers: pip install --no-binary "
    "powercut powercut --config-settings=cmake.define.POWERCUT_NODE_BITS=64 (docs/speed.md, "
    "\"More than 2^31 nodes\")";
#endif

}  // namespace powercut
