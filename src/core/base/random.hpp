#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace powercut {

/// SplitMix64: eight bytes of state, the same numbers on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += step);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// The number at a position of the sequence, from 0, without those before it.
  static std::uint64_t bits_at(std::uint64_t seed, std::uint64_t position) {
    return Random(seed + step * position).bits();
  }

  /// Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  /// Uniform in {0, ..., bound - 1}; the bias, below bound / 2^53, is negligible.
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(uniform() * static_cast<double>(bound));
  }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::int64_t i = static_cast<std::int64_t>(values.size()) - 1; i > 0; --i) {
      std::swap(values[i], values[below(i + 1)]);
    }
  }

 private:
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15U;

  std::uint64_t state_;
};

}  // namespace powercut
