#include "graphs/row_products.hpp"

namespace powercut {

void row_products(const GraphView& graph, std::span<const Node> rows, std::span<const double> x,
                  std::span<double> product, ThreadTeam& team, Ticker& ticker) {
  constexpr std::int64_t range = 256;
  const auto n = static_cast<std::int64_t>(rows.size());
  team.for_ranges(n, range, [&](int thread, std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      double sum = 0;
      graph.for_each(rows[k], [&](Node other, double w) POWERCUT_INLINE { sum += w * x[other]; });
      product[k] = sum;
      if (thread == 0) ticker.tick(1 + graph.length(rows[k]));
    }
  });
}

}  // namespace powercut
