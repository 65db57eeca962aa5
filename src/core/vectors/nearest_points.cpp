#include "vectors/nearest_points.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/members.hpp"
#include "base/threads.hpp"
#include "vectors/bounds.hpp"

namespace powercut {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();
/// Queries of a cell that one thread takes at a time.
constexpr std::size_t queries_per_task = 32 * CostBounds::tile_length;
/// Points whose distances are bounded together: as many as keep their coefficients in the cache,
/// and at most so many that the bounds of a tile stay there, too.
constexpr std::size_t cached_coefficients = 1 << 17, longest_block = 1024;
/// Bounds that are compared with the same limit, before the limit is lowered.
constexpr std::size_t bounds_per_limit = 4 * CostBounds::lanes;

/// A squared distance and a point, ordered by both: what is found does not depend on the order in
/// which points are visited.
using FoundPoint = std::pair<double, Node>;

/// Some queries of a cell.
struct QueryTask {
  Label cell;
  std::span<const Node> queries;
};

/// The search of one thread.
class PointSearch {
 public:
  PointSearch(const PointsView& points, const PointsView& queries, std::span<const Node> excluded,
              std::size_t k)
      : points_(points),
        queries_(queries),
        excluded_(excluded),
        k_(k),
        d_(points.dimensions),
        bounds_(d_, Growth::sum) {
    points_.weight = queries_.weight = nullptr;
  }

  /// Takes what is known about some queries.
  void read(std::span<const Node> queries, const NearestPoints& nearest) {
    heaps_.resize(queries.size());
    for (std::size_t q = 0; q < queries.size(); ++q) {
      heaps_[q].clear();
      const std::size_t row = static_cast<std::size_t>(queries[q]) * k_;
      for (std::size_t at = row; at < row + k_ && nearest.point[at] >= 0; ++at) {
        heaps_[q].push_back({nearest.squares[at], nearest.point[at]});
      }
      std::ranges::make_heap(heaps_[q]);
    }
  }

  /// Compares these queries with points, and calls tick(number of comparisons) now and then.
  template <class Tick>
  void compare_all(std::span<const Node> queries, std::span<const Node> candidates,
                   const Tick& tick) {
    if (candidates.empty()) return;
    // Blocks of nearly equal length, because bounds are computed for whole blocks.
    const std::size_t most = std::clamp(cached_coefficients / d_, bounds_per_limit, longest_block);
    const std::size_t n_blocks = (candidates.size() + most - 1) / most;
    const std::size_t length = (candidates.size() + n_blocks - 1) / n_blocks;
    choose_origin(candidates.first(length));
    for (std::size_t first = 0; first < candidates.size(); first += length) {
      const auto block = candidates.subspan(first, std::min(length, candidates.size() - first));
      set_block(block, length);
      for (std::size_t at = 0; at < queries.size(); at += CostBounds::tile_length) {
        const std::size_t rows = std::min(CostBounds::tile_length, queries.size() - at);
        compare(queries.subspan(at, rows), block, &heaps_[at]);
        tick(static_cast<std::int64_t>(rows * block.size()));
      }
    }
  }

  void write(std::span<const Node> queries, const NearestPoints& nearest) {
    for (std::size_t q = 0; q < queries.size(); ++q) {
      std::vector<FoundPoint>& heap = heaps_[q];
      std::ranges::sort_heap(heap);
      heap.resize(k_, {no_limit, -1});
      const std::size_t row = static_cast<std::size_t>(queries[q]) * k_;
      for (std::size_t r = 0; r < k_; ++r) {
        nearest.squares[row + r] = heap[r].first;
        nearest.point[row + r] = heap[r].second;
      }
    }
  }

 private:
  /// Bounds are tightest near the origin.
  void choose_origin(std::span<const Node> near) {
    origin_.clear();
    for (const Node p : near) {
      const double* x = points_.row(p, other_);
      origin_.insert(origin_.end(), x, x + d_);
    }
    bounds_.reset(origin_, std::vector<double>(near.size(), 1.0));
  }

  void set_block(std::span<const Node> block, std::size_t length) {
    for (std::size_t c = 0; c < block.size(); ++c) {
      if (c + 4 < block.size()) points_.prefetch(block[c + 4]);
      bounds_.set(static_cast<Label>(c), {0, 1, 1, nullptr, points_.row(block[c], other_)});
    }
    for (std::size_t c = block.size(); c < length; ++c) bounds_.remove(static_cast<Label>(c));
  }

  void compare(std::span<const Node> queries, std::span<const Node> block,
               std::vector<FoundPoint>* heaps) {
    bounds_.evaluate(queries_, queries, tile_);
    for (std::size_t row = 0; row < queries.size(); ++row) {
      const std::span<const float> bounds = bounds_.row_bounds(tile_, row);
      const double* x = queries_.row(queries[row], query_);
      const Node excluded = excluded_.empty() ? -1 : excluded_[queries[row]];
      std::vector<FoundPoint>& heap = heaps[row];
      for (std::size_t first = 0; first < bounds.size(); first += bounds_per_limit) {
        const auto some = bounds.subspan(first, std::min(bounds_per_limit, bounds.size() - first));
        const double limit = heap.size() < k_ ? no_limit : heap.front().first;
        CostBounds::for_each_within(some, bounds_.in_units(limit), [&](Label c) {
          const Node p = block[first + static_cast<std::size_t>(c)];
          if (p == excluded) return;
          add({squared_distance(x, points_.row(p, other_), d_), p}, heap);
        });
      }
    }
  }

  /// The heap has the largest of the k smallest on top.
  void add(const FoundPoint& found, std::vector<FoundPoint>& heap) const {
    if (heap.size() == k_ && !(found < heap.front())) return;
    if (std::ranges::find(heap, found) != heap.end()) return;  // known before
    if (heap.size() == k_) {
      std::ranges::pop_heap(heap);
      heap.pop_back();
    }
    heap.push_back(found);
    std::ranges::push_heap(heap);
  }

  PointsView points_;
  PointsView queries_;
  std::span<const Node> excluded_;
  std::size_t k_;
  std::size_t d_;
  CostBounds bounds_;
  CostBounds::Tile tile_;
  std::vector<double> origin_, query_, other_;
  std::vector<std::vector<FoundPoint>> heaps_;
};

std::vector<QueryTask> query_tasks(const Members& queries, Label n_cells) {
  std::vector<QueryTask> tasks;
  for (Label c = 0; c < n_cells; ++c) {
    std::span<const Node> rest = queries.of(c);
    while (!rest.empty()) {
      const std::size_t length = std::min(queries_per_task, rest.size());
      tasks.push_back({c, rest.first(length)});
      rest = rest.subspan(length);
    }
  }
  return tasks;
}

}  // namespace

void find_nearest_points(const PointsView& points, const PointsView& queries,
                         const PointCells& cells, const NearestPoints& nearest, int n_threads,
                         CancellationToken& token) {
  const Members points_of = group_by_label(cells.of_points, cells.n_cells);
  const Members queries_of = group_by_label(cells.of_queries, cells.n_cells);
  const std::vector<QueryTask> tasks = query_tasks(queries_of, cells.n_cells);
  Ticker ticker(token);
  ThreadTeam team(static_cast<int>(
      std::clamp<std::int64_t>(static_cast<std::int64_t>(tasks.size()), 1, n_threads)));
  std::vector<PointSearch> searches(team.size(),
                                    PointSearch(points, queries, cells.excluded, nearest.k));
  team.for_ranges(
      static_cast<std::int64_t>(tasks.size()), 1, [&](int thread, std::int64_t t, std::int64_t) {
        const QueryTask& task = tasks[t];
        PointSearch& search = searches[thread];
        search.read(task.queries, nearest);
        search.compare_all(task.queries, points_of.of(task.cell), [&](std::int64_t comparisons) {
          if (thread == 0) ticker.tick(comparisons);
        });
        search.write(task.queries, nearest);
      });
}

}  // namespace powercut
