#include "graphs/row_keys.hpp"

#include <bit>

#include "base/random.hpp"

namespace powercut {

void row_keys(const GraphView& rows, std::span<std::uint64_t> keys, CancellationToken& token) {
  Ticker ticker(token);
  for (Node i = 0; i < rows.rows(); ++i) {
    std::uint64_t key = 0;
    rows.for_each(i, [&](Node column, double value) {
      if (value == 0) return;
      const std::uint64_t place = Random(static_cast<std::uint64_t>(column)).bits();
      key += Random(place ^ std::bit_cast<std::uint64_t>(value)).bits();
    });
    keys[i] = key;
    ticker.tick(1 + rows.length(i));
  }
}

}  // namespace powercut
