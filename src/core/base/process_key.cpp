#include "base/process_key.hpp"

#include <random>

namespace powercut {

const HashKey& process_key() {
  static const HashKey key = [] {
    std::random_device device;
    const auto word = [&device] { return std::uint64_t{device()} << 32 | device(); };
    const std::uint64_t first = word();
    return HashKey{first, word()};
  }();
  return key;
}

}  // namespace powercut
