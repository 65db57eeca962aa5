#pragma once

#include <cstdint>

namespace powercut {

/// Secret of keyed hashes.
struct HashKey {
  std::uint64_t first, second;
};

/// The key of this process, drawn at random when it is first used. Who makes the input does not
/// know it, and so cannot choose values that collide.
const HashKey& process_key();

}  // namespace powercut
