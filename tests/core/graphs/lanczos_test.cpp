#include "graphs/lanczos.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "support.hpp"

namespace powercut {
namespace {

using testing::Never;
using testing::random_coarse_graph;
using testing::SmallGraph;
using testing::sparse_graph;
using Vector = std::vector<double>;

constexpr int n_steps = 5;
constexpr double unit = 2;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

struct Problem {
  SmallGraph graph;
  Vector scale;
  std::vector<float> known, start;
};

Problem problem(SmallGraph graph) {
  Problem p{std::move(graph), {}, {}, {}};
  for (Node i = 0; i < p.graph.n; ++i) {
    p.scale.push_back(0.1 + 0.01 * (i % 7));
    p.known.push_back(1 / std::sqrt(static_cast<float>(p.graph.n)));
    p.start.push_back(static_cast<float>(std::sin(1 + i)));
  }
  return p;
}

Tridiagonal found(const Problem& p, int n_threads, double shortest = 0) {
  Never never;
  Ticker ticker(never);
  ThreadTeam team(n_threads);
  return lanczos(p.graph.view(), p.scale, unit, p.known, p.start, n_steps, shortest, team, ticker);
}

/// The same in double precision, with vectors orthogonal to all before.
Tridiagonal expected(const Problem& p) {
  const Node n = p.graph.n;
  std::vector<Vector> basis{{p.known.begin(), p.known.end()}};
  Tridiagonal result;
  Vector y(p.start.begin(), p.start.end());
  for (int step = 0; step < n_steps; ++step) {
    for (const Vector& b : basis) {
      const double along = dot(b, y);
      for (Node i = 0; i < n; ++i) y[i] -= along * b[i];
    }
    const double length = std::sqrt(dot(y, y));
    for (double& value : y) value /= length;
    if (step > 0) result.beside.push_back(length);
    basis.push_back(y);
    Vector product(n, 0);
    for (Node i = 0; i < n; ++i) {
      for (Entry e = p.graph.offsets[i]; e < p.graph.offsets[i + 1]; ++e) {
        const Node other = p.graph.indices[e];
        product[i] += p.scale[i] * p.graph.weights[e] * p.scale[other] * y[other] / unit;
      }
    }
    result.diagonal.push_back(dot(y, product));
    y = product;
  }
  return result;
}

TEST(Lanczos, FindsTheTridiagonalMatrix) {
  const Problem p = problem(random_coarse_graph(1, 40));
  const Tridiagonal exact = expected(p), computed = found(p, 1);
  ASSERT_EQ(computed.diagonal.size(), exact.diagonal.size());
  ASSERT_EQ(computed.beside.size(), exact.beside.size());
  for (int k = 0; k < n_steps; ++k) EXPECT_NEAR(computed.diagonal[k], exact.diagonal[k], 1e-5);
  for (int k = 0; k + 1 < n_steps; ++k) EXPECT_NEAR(computed.beside[k], exact.beside[k], 1e-5);
}

TEST(Lanczos, DoesNotDependOnThreads) {
  const Problem p = problem(sparse_graph(1, 3000, 50));
  const Tridiagonal one = found(p, 1), three = found(p, 3);
  EXPECT_EQ(one.diagonal, three.diagonal);
  EXPECT_EQ(one.beside, three.beside);
}

TEST(Lanczos, EndsWhenNothingIsLeft) {
  Problem p = problem(random_coarse_graph(1, 40));
  EXPECT_TRUE(found(p, 1, std::numeric_limits<double>::infinity()).diagonal.empty());
  // A start of two eigenvectors: S A S = I, so the second vector vanishes.
  p.graph = SmallGraph{};
  p.graph.n = 3;
  p.graph.offsets = {0, 1, 2, 3};
  p.graph.indices = {0, 1, 2};
  p.graph.weights = {1, 1, 1};
  p.scale = {1, 1, 1};
  p.known = {1, 0, 0};
  p.start = {1, 2, 3};
  const Tridiagonal one = found(p, 1, 1e-3);
  ASSERT_EQ(one.diagonal.size(), 1U);
  EXPECT_NEAR(one.diagonal[0], 1 / unit, 1e-6);
}

}  // namespace
}  // namespace powercut
