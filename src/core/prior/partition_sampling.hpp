#pragma once

#include <cstdint>
#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"

namespace powercut {

/// Draws a partition by the two-parameter Chinese restaurant process; tables are numbered as they
/// are opened. Returns the number of tables.
Label sample_pitman_yor(std::span<Label> labels, double concentration, double discount,
                        std::uint64_t seed, CancellationToken& token);

}  // namespace powercut
