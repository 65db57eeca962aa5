#include "graphs/row_products.hpp"

namespace powercut {

void row_products(const GraphView& graph, std::span<const double> x, std::span<double> product,
                  ThreadTeam& team, Ticker& ticker) {
  constexpr std::int64_t range = 256;
  team.for_ranges(graph.rows(), range, [&](int thread, std::int64_t begin, std::int64_t end) {
    for (Node node = static_cast<Node>(begin); node < end; ++node) {
      double sum = 0;
      graph.for_each(node, [&](Node other, double w) POWERCUT_INLINE { sum += w * x[other]; });
      product[node] = sum;
      if (thread == 0) ticker.tick(1 + graph.length(node));
    }
  });
}

}  // namespace powercut
