#pragma once

#include <cstdint>
#include <string_view>

namespace powercut {

/// Secret of a keyed hash.
struct HashKey {
  std::uint64_t first, second;
};

/// The key of this process, drawn at random when it is first used. Who makes a file does not know
/// it, and so cannot choose ids that collide.
const HashKey& process_key();

/// SipHash with one round per word and three at the end (Aumasson and Bernstein, 2012).
std::uint64_t sip_hash(std::string_view bytes, const HashKey& key);

/// The same with any numbers of rounds; the paper has test vectors for 2 and 4.
std::uint64_t sip_hash(std::string_view bytes, const HashKey& key, int rounds_per_word,
                       int rounds_at_end);

}  // namespace powercut
