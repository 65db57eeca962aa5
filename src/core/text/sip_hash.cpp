#include "text/sip_hash.hpp"

#include <bit>
#include <cstddef>

namespace powercut {
namespace {

constexpr std::size_t word_size = 8;

/// Up to eight bytes, the first the lowest, on every platform. One load where the size is constant.
inline std::uint64_t word_of(const char* bytes, std::size_t size) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < size; ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

class State {
 public:
  explicit State(const HashKey& key)
      : v0_(key.first ^ 0x736f6d6570736575U),
        v1_(key.second ^ 0x646f72616e646f6dU),
        v2_(key.first ^ 0x6c7967656e657261U),
        v3_(key.second ^ 0x7465646279746573U) {}

  void add(std::uint64_t word, int n_rounds) {
    v3_ ^= word;
    rounds(n_rounds);
    v0_ ^= word;
  }

  std::uint64_t finish(int n_rounds) {
    v2_ ^= 0xff;
    rounds(n_rounds);
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  void rounds(int n) {
    for (int i = 0; i < n; ++i) {
      v0_ += v1_;
      v2_ += v3_;
      v1_ = std::rotl(v1_, 13) ^ v0_;
      v3_ = std::rotl(v3_, 16) ^ v2_;
      v0_ = std::rotl(v0_, 32) + v3_;
      v2_ += v1_;
      v1_ = std::rotl(v1_, 17) ^ v2_;
      v3_ = std::rotl(v3_, 21) ^ v0_;
      v2_ = std::rotl(v2_, 32);
    }
  }

  std::uint64_t v0_, v1_, v2_, v3_;
};

}  // namespace

std::uint64_t sip_hash(std::string_view bytes, const HashKey& key, int rounds_per_word,
                       int rounds_at_end) {
  const std::uint64_t length = static_cast<std::uint64_t>(bytes.size()) << 56;
  State state(key);
  for (; bytes.size() >= word_size; bytes.remove_prefix(word_size)) {
    state.add(word_of(bytes.data(), word_size), rounds_per_word);
  }
  state.add(length | word_of(bytes.data(), bytes.size()), rounds_per_word);
  return state.finish(rounds_at_end);
}

std::uint64_t sip_hash(std::string_view bytes, const HashKey& key) {
  return sip_hash(bytes, key, 1, 3);
}

}  // namespace powercut
