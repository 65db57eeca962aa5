#pragma once

#include <cstdint>

/// For bodies of innermost loops, which are instantiated once per storage type.
#if defined(__GNUC__)
#define POWERCUT_INLINE __attribute__((always_inline))
#else
#define POWERCUT_INLINE
#endif

namespace powercut {

/// Starts to load a cache line, without waiting for it.
inline void prefetch_memory([[maybe_unused]] const void* memory) {
#if defined(__GNUC__)
  __builtin_prefetch(memory);
#endif
}

using Node = std::int32_t;   ///< row of a matrix; at most 2^31 - 1 of them
using Label = std::int32_t;  ///< cluster
using Entry = std::int64_t;  ///< position in the stored entries; may exceed 2^31
using Count = std::int64_t;  ///< number of original nodes or points

}  // namespace powercut
