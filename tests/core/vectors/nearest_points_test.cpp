#include "vectors/nearest_points.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "vectors/points_support.hpp"

namespace powercut {
namespace {

using testing::AfterRequests;
using testing::Never;
using testing::random_points;
using testing::random_weights;
using testing::SmallPoints;

constexpr std::pair<double, Node> unknown_point{std::numeric_limits<double>::infinity(), -1};

/// Points and queries, their cells, and what is known about the nearest points.
struct SmallSearch {
  SmallSearch(SmallPoints some_points, SmallPoints some_queries, Label cells, std::size_t length)
      : points(std::move(some_points)),
        queries(std::move(some_queries)),
        n_cells(cells),
        k(length),
        nearest(queries.n * k, -1),
        squares(queries.n * k, unknown_point.first) {
    divide(1);
  }

  /// Other cells for another `step`.
  void divide(Node step) {
    point_cells.clear();
    query_cells.clear();
    for (Node i = 0; i < points.n; ++i) point_cells.push_back((i / step) % n_cells);
    for (Node i = 0; i < queries.n; ++i) query_cells.push_back((i / step / 3) % n_cells);
  }

  void find(int n_threads, CancellationToken& token) {
    find_nearest_points(points.view(), queries.view(),
                        {point_cells, query_cells, n_cells, excluded}, {k, nearest, squares},
                        n_threads, token);
  }

  void find(int n_threads = 1) {
    Never never;
    find(n_threads, never);
  }

  /// The nearest of a row are those of the points for which `compared`.
  template <class Compared>
  void expect_nearest(const Compared& compared) const {
    const std::size_t d = points.dimensions;
    for (Node q = 0; q < queries.n; ++q) {
      std::vector<std::pair<double, Node>> row;
      for (Node p = 0; p < points.n; ++p) {
        if (!compared(q, p)) continue;
        row.push_back({squared_distance(&queries.values[q * d], &points.values[p * d], d), p});
      }
      std::ranges::sort(row);
      row.resize(k, unknown_point);
      for (std::size_t r = 0; r < k; ++r) {
        EXPECT_EQ(squares[q * k + r], row[r].first);
        EXPECT_EQ(nearest[q * k + r], row[r].second);
      }
    }
  }

  bool together(Node q, Node p) const { return query_cells[q] == point_cells[p]; }

  SmallPoints points;
  SmallPoints queries;
  Label n_cells;
  std::size_t k;
  std::vector<Label> point_cells;
  std::vector<Label> query_cells;
  std::vector<Node> excluded;
  std::vector<Node> nearest;
  std::vector<double> squares;
};

TEST(NearestPoints, AreTheNearestOfTheCellTheFirstOfEquals) {
  for (const Node d : {1, 3, 70}) {
    for (const Label n_cells : {1, 4}) {
      for (const int n_threads : {1, 3}) {
        // More points than one block, more queries than one task, and equal points.
        SmallPoints points = random_points(d, 1300, d, 5);
        std::copy_n(points.values.begin(), 100 * d, points.values.end() - 100 * d);
        points.weight = random_weights(1, points.n);
        SmallPoints queries = random_points(7, 900, d, 5);
        std::copy_n(points.values.begin(), 50 * d, queries.values.begin());
        SmallSearch search(points, queries, n_cells, 6);
        search.find(n_threads);
        search.expect_nearest([&](Node q, Node p) { return search.together(q, p); });
      }
    }
  }
}

TEST(NearestPoints, AreAddedToThoseThatAreKnown) {
  SmallSearch search(random_points(3, 200, 2, 5), random_points(4, 100, 2, 5), 3, 4);
  search.find();
  const SmallSearch before = search;
  search.divide(2);
  search.find();
  const auto ever = [&](Node q, Node p) { return before.together(q, p) || search.together(q, p); };
  search.expect_nearest(ever);
  search.find();
  search.expect_nearest(ever);
}

TEST(NearestPoints, AreNotThoseThatAreExcluded) {
  const SmallPoints points = random_points(3, 200, 2, 5);
  SmallSearch search(points, points, 2, 4);
  for (Node i = 0; i < points.n; ++i) search.excluded.push_back(i);
  search.find(2);
  search.expect_nearest([&](Node q, Node p) { return q != p && search.together(q, p); });
}

TEST(NearestPoints, AreUnknownWhereACellHasTooFew) {
  SmallSearch search(random_points(3, 5, 2, 5), random_points(4, 9, 2, 5), 3, 6);
  search.find();
  search.expect_nearest([&](Node q, Node p) { return search.together(q, p); });
}

TEST(NearestPoints, AreFoundFarFromTheOrigin) {
  SmallPoints points = random_points(5, 400, 3, 5);
  for (double& value : points.values) value = 1e7 + 1e-3 * value;
  SmallSearch search(points, points, 1, 5);
  search.find();
  search.expect_nearest([](Node, Node) { return true; });
}

TEST(NearestPoints, CanBeCancelled) {
  const SmallPoints points = random_points(1, 2000, 8, 5);
  SmallSearch search(points, points, 1, 1);
  AfterRequests token(0);
  EXPECT_THROW(search.find(1, token), Cancelled);
}

}  // namespace
}  // namespace powercut
