#include "prior/partition_sampling.hpp"

#include <vector>

#include "base/random.hpp"

namespace powercut {

Label sample_pitman_yor(std::span<Label> labels, double concentration, double discount,
                        std::uint64_t seed, CancellationToken& token) {
  Ticker ticker(token);
  Random random(seed);
  std::vector<Count> size;
  const Count n = static_cast<Count>(labels.size());
  for (Count i = 0; i < n; ++i) {
    ticker.tick(1);
    const double tables = static_cast<double>(size.size());
    const double seats = concentration + static_cast<double>(i);
    if (i == 0 || random.uniform() * seats < concentration + discount * tables) {
      labels[i] = static_cast<Label>(size.size());
      size.push_back(1);
      continue;
    }
    // Draw a table with probability proportional to size - discount: pick the table of a random
    // earlier customer (proportional to size) and accept it with probability 1 - discount / size.
    Label table;
    do {
      table = labels[random.below(i)];
    } while (random.uniform() * static_cast<double>(size[table]) < discount);
    labels[i] = table;
    ++size[table];
  }
  return static_cast<Label>(size.size());
}

}  // namespace powercut
