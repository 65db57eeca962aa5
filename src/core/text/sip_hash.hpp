#pragma once

#include <cstdint>
#include <string_view>

#include "base/process_key.hpp"

namespace powercut {

/// SipHash with one round per word and three at the end (Aumasson and Bernstein, 2012).
std::uint64_t sip_hash(std::string_view bytes, const HashKey& key);

/// The same with any numbers of rounds; the paper has test vectors for 2 and 4.
std::uint64_t sip_hash(std::string_view bytes, const HashKey& key, int rounds_per_word,
                       int rounds_at_end);

}  // namespace powercut
