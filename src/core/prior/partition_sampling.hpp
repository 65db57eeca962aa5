#pragma once

#include <cstdint>
#include <span>

#include "base/cancellation.hpp"
#include "base/types.hpp"

namespace powercut {

/// Seats customers one after the other in a Pitman-Yor restaurant; tables are
/// numbered as they are opened. Returns the number of tables.
Label sample_pitman_yor(std::span<Label> labels, double concentration, double discount,
                        std::uint64_t seed, Cancel& cancel);

}  // namespace powercut
