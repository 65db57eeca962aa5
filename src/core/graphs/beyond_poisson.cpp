#include "graphs/beyond_poisson.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace powercut {
namespace {

double beyond(double rate) {
  if (rate > 1) return std::log(rate) - std::log(-std::expm1(-rate)) - rate;
  // Taylor series of -rate / 2 - ln(sinh(rate / 2) / (rate / 2)); the first omitted term is below
  // 2e-12.
  const double x = 0.25 * rate * rate;
  return -0.5 * rate -
         x * (1.0 / 6 - x * (1.0 / 180 - x * (1.0 / 2835 -
                                              x * (1.0 / 37800 - x * (1.0 / 467775 -
                                                                      x * (691.0 / 3831077250))))));
}

}  // namespace

double beyond_poisson(const GraphView& graph, std::span<const double> size,
                      std::span<const Label> labels, std::span<const double> density,
                      double background, ThreadTeam& team, Ticker& ticker) {
  constexpr Node chunk = 1 << 16;
  constexpr Node range = 256;
  double total = 0;
  std::vector<double> of_row(std::min(chunk, graph.rows()));
  for (Node first = 0; first < graph.rows(); first += std::min(chunk, graph.rows() - first)) {
    const Node n = std::min(chunk, graph.rows() - first);
    team.for_ranges(n, range, [&](int thread, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const Node node = first + static_cast<Node>(k);
        const double inside = density[labels[node]] * size[node];
        const double outside = background * size[node];
        double once = 0, loops = 0;
        graph.prefetch_later_columns(node, labels.data(), size.data());
        graph.for_each(node, [&](Node other, double) POWERCUT_INLINE {
          if (other < node) return;  // the entry of the same edge in the other row
          const double rate = (labels[other] == labels[node] ? inside : outside) * size[other];
          (other == node ? loops : once) += beyond(rate);
        });
        of_row[k] = 2 * once + loops;
        if (thread == 0) ticker.tick(1 + graph.length(node));
      }
    });
    for (Node k = 0; k < n; ++k) total += of_row[k];
  }
  return total;
}

}  // namespace powercut
