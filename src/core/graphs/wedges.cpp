#include "graphs/wedges.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/large_pages.hpp"
#include "base/random.hpp"

namespace powercut {
namespace {

/// How many times longer than another a row may be to be read rather than searched.
constexpr Entry longest_read = 8;

double weight_between(const GraphView& graph, Node row, Node column) {
  const Entry place = graph.find(row, column);
  return place < 0 ? 0 : graph.weight(row, place);
}

/// Draws an index in proportion to the increments of a cumulative sum.
std::size_t draw(std::span<const double> cumulative, Random& random) {
  const auto at = std::ranges::upper_bound(cumulative, random.uniform() * cumulative.back());
  return std::min(static_cast<std::size_t>(at - cumulative.begin()), cumulative.size() - 1);
}

}  // namespace

Wedges draw_wedges(const GraphView& graph, std::span<const Label> labels,
                   std::span<const double> strength, std::span<const double> size,
                   std::span<const double> density, Count draws, std::uint64_t seed,
                   CancellationToken& token) {
  Ticker ticker(token);
  Random random(seed);
  double sum = 0;
  for (const double s : strength) sum += s * s;
  if (sum == 0) return {0, 0};
  // Middles are drawn in proportion to their squared strength, at equal steps of the cumulative
  // sum: with less noise than independent draws, and in the order of the rows.
  const double step = sum / static_cast<double>(draws);
  const double first = random.uniform();
  double reached = 0;
  Count drawn = 0;
  std::vector<Node> neighbors;
  std::vector<double> cumulative;
  const auto draw_neighbor = [&] {
    if (graph.is_weighted()) return neighbors[draw(cumulative, random)];
    return neighbors[random.below(static_cast<std::int64_t>(neighbors.size()))];
  };
  Wedges wedges{0, 0};
  for (Node middle = 0; middle < graph.rows(); ++middle) {
    reached += strength[middle] * strength[middle];
    const Count before = drawn;
    drawn = std::clamp(static_cast<Count>(std::ceil(reached / step - first)), before, draws);
    if (drawn == before) continue;
    neighbors.clear();
    cumulative.clear();
    double weight = 0;
    graph.for_each(middle, [&](Node other, double w) {
      if (other == middle || labels[other] != labels[middle]) return;
      neighbors.push_back(other);
      cumulative.push_back(weight += w);
    });
    ticker.tick(64 * (drawn - before) + graph.length(middle));
    if (neighbors.size() < 2) continue;
    for (Count d = before; d < drawn; ++d) {
      const Node one = draw_neighbor();
      const Node other = draw_neighbor();
      if (one == other) continue;
      ++wedges.n;
      wedges.surplus +=
          weight_between(graph, one, other) - density[labels[one]] * size[one] * size[other];
    }
  }
  return wedges;
}

Triangles sample_triangles(const GraphView& graph, std::span<const Label> labels, Count draws,
                           std::uint64_t seed, CancellationToken& token) {
  Ticker ticker(token);
  Triangles sum{0, 0, 0, 0};
  Count n = 0;
  // One plus the node whose neighbors these are.
  LargeVector<Node> neighbor_of(graph.rows(), 0);
  const auto mark_neighbors = [&](Node node) {
    graph.for_each(node, [&](Node other, double) { neighbor_of[other] = node + 1; });
  };
  const auto visit = [&](Node marked, Node other) {
    if (marked == other) return;
    double t = 0, inside = 0, across = 0;
    const auto close = [&](Node third) {
      if (third == marked || third == other) return;
      t += 1;
      if (labels[third] != labels[marked] && labels[third] != labels[other]) return;
      (labels[marked] == labels[other] ? inside : across) += 1;
    };
    // A row is read and compared with the marks, unless it is far longer than the marked one.
    const bool is_read = graph.length(other) <= longest_read * graph.length(marked);
    if (is_read) {
      graph.for_each(other, [&](Node third, double) {
        if (neighbor_of[third] == marked + 1) close(third);
      });
    } else {
      graph.for_each(marked, [&](Node third, double) {
        if (weight_between(graph, other, third) != 0) close(third);
      });
    }
    ticker.tick(64 + (is_read ? graph.length(other) : 16 * graph.length(marked)));
    ++n;
    sum.per_edge += t;
    sum.inverse += 1 / (1 + t);
    sum.inside += inside;
    sum.across += across;
  };
  if (graph.size() <= 2 * draws) {
    for (Node i = 0; i < graph.rows(); ++i) {
      mark_neighbors(i);
      graph.for_each(i, [&](Node other, double) {
        if (other > i) visit(i, other);
      });
    }
  } else {
    Random random(seed);
    LargeVector<double> cumulative(labels.size());
    double total = 0;
    for (Node i = 0; i < graph.rows(); ++i) {
      cumulative[i] = total += static_cast<double>(graph.length(i));
    }
    for (Count d = 0; d < draws; ++d) {
      Node one = static_cast<Node>(draw(cumulative, random));
      Node other = graph.neighbor(one, static_cast<Entry>(random.below(graph.length(one))));
      if (graph.length(one) > graph.length(other)) std::swap(one, other);
      mark_neighbors(one);
      visit(one, other);
    }
  }
  if (n == 0) return sum;
  const double count = static_cast<double>(n);
  return {sum.per_edge / count, sum.inverse / count, sum.inside / count, sum.across / count};
}

}  // namespace powercut
