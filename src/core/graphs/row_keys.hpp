#pragma once

#include <cstdint>
#include <span>

#include "base/cancellation.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// A 64-bit hash of each row of a matrix, to recognize equal rows. It depends on the values alone:
/// not on the order of entries, explicit zeros, sparse or dense storage, or the stored type.
void row_keys(const GraphView& rows, std::span<std::uint64_t> keys, CancellationToken& token);

}  // namespace powercut
