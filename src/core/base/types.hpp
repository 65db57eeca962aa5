#pragma once

#include <cstdint>

/// For the body of an innermost loop, which is called from a place for each stored type.
#if defined(__GNUC__)
#define POWERCUT_INLINE __attribute__((always_inline))
#else
#define POWERCUT_INLINE
#endif

namespace powercut {

/// Brings memory near while something else is done.
inline void prefetch([[maybe_unused]] const void* memory) {
#if defined(__GNUC__)
  __builtin_prefetch(memory);
#endif
}

using Node = std::int32_t;   ///< a row of a matrix; at most 2^31 - 1 of them
using Label = std::int32_t;  ///< a cluster
using Entry = std::int64_t;  ///< a position in the stored entries; may pass 2^31
using Count = std::int64_t;  ///< a number of original nodes or points

}  // namespace powercut
