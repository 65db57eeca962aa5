#pragma once

#include <cstdint>
#include <type_traits>

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

/// Whether node numbers and labels have 64 bits, as CMake's POWERCUT_NODE_BITS says, or 32.
constexpr bool wide_nodes = POWERCUT_NODE_BITS == 64;

using Node = std::conditional_t<wide_nodes, std::int64_t, std::int32_t>;  ///< row of a matrix
using Label = Node;                                                       ///< cluster
using Entry = std::int64_t;  ///< position in the stored entries; may exceed 2^31
using Count = std::int64_t;  ///< number of original nodes or points

}  // namespace powercut
