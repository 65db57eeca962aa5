#pragma once

#include <cstdint>

namespace powercut {

using Node = std::int32_t;   ///< a row of a matrix; at most 2^31 - 1 of them
using Label = std::int32_t;  ///< a cluster
using Entry = std::int64_t;  ///< a position in the stored entries; may pass 2^31
using Count = std::int64_t;  ///< a number of original nodes or points

}  // namespace powercut
