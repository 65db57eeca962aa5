#pragma once

#include <cstdint>
#include <span>

#include "base/cancellation.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// A 64-bit key of each row of a matrix, by which equal rows are recognised.
/// It depends on the values alone: not on the order of the entries, on stored
/// zeros, on sparse or dense storage, nor on the type they are stored in.
void row_keys(const GraphView& rows, std::span<std::uint64_t> keys, Cancel& cancel);

}  // namespace powercut
