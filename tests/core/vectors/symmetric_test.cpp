#include "vectors/symmetric.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "base/random.hpp"

namespace powercut {
namespace {

using Matrix = std::vector<double>;

Matrix product(const Matrix& a, const Matrix& b, std::size_t d) {
  Matrix c(d * d, 0.0);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t k = 0; k < d; ++k) c[i * d + j] += a[i * d + k] * b[k * d + j];
    }
  }
  return c;
}

/// The sum of squares of `terms` random vectors: positive if there are enough.
Matrix sum_of_squares(std::size_t d, std::size_t terms, Random& random) {
  Matrix sum(d * d, 0.0);
  std::vector<double> x(d);
  for (std::size_t t = 0; t < terms; ++t) {
    for (double& value : x) value = 2 * random.uniform() - 1;
    for (std::size_t i = 0; i < d * d; ++i) sum[i] += x[i / d] * x[i % d];
  }
  return sum;
}

Matrix identity(std::size_t d, double times = 1) {
  Matrix matrix(d * d, 0.0);
  for (std::size_t j = 0; j < d; ++j) matrix[j * d + j] = times;
  return matrix;
}

void expect_near(const Matrix& a, const Matrix& b, double tolerance) {
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance);
}

TEST(Symmetric, AFactorGivesDeterminantSolutionsAndInverse) {
  Random random(0);
  for (std::size_t d = 1; d < 9; ++d) {
    const Matrix matrix = sum_of_squares(d, d + 4, random);
    Matrix root(d * d), inverse(d * d);
    const double log_size = symmetric::factorise(matrix.data(), d, root.data());
    symmetric::invert(root.data(), d, inverse.data());
    expect_near(product(matrix, inverse, d), identity(d), 1e-10);
    Matrix diagonal = matrix, axes(d * d);
    symmetric::diagonalise(diagonal.data(), d, axes.data());
    double logs = 0;
    for (std::size_t j = 0; j < d; ++j) logs += std::log(diagonal[j * d + j]);
    EXPECT_NEAR(log_size, logs, 1e-10);
    std::vector<double> x(matrix.begin(), matrix.begin() + static_cast<std::ptrdiff_t>(d));
    symmetric::solve_lower(root.data(), d, x.data());
    symmetric::solve_upper(root.data(), d, x.data());
    for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(x[j], j == 0, 1e-10);  // its first row
  }
}

TEST(Symmetric, EigenvectorsRebuildTheMatrix) {
  Random random(1);
  for (std::size_t d = 1; d < 9; ++d) {
    const Matrix matrix = sum_of_squares(d, d / 2, random);  // some eigenvalues are 0
    Matrix diagonal = matrix, axes(d * d), rebuilt(d * d, 0.0);
    symmetric::diagonalise(diagonal.data(), d, axes.data());
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t i = 0; i < d * d; ++i) {
        rebuilt[i] += diagonal[a * d + a] * axes[a * d + i / d] * axes[a * d + i % d];
      }
    }
    expect_near(rebuilt, matrix, 1e-13);
  }
}

TEST(Symmetric, OnlyPositiveMatricesArePositive) {
  Random random(2);
  Matrix root(16);
  EXPECT_TRUE(symmetric::is_positive(sum_of_squares(4, 8, random).data(), 4, root.data()));
  Matrix matrix = sum_of_squares(4, 8, random);
  matrix[5] = -1;
  EXPECT_FALSE(symmetric::is_positive(matrix.data(), 4, root.data()));
}

TEST(Symmetric, RaisingLeavesWhatIsAboveTheFloor) {
  Random random(3);
  const Matrix floor = sum_of_squares(5, 9, random);
  Matrix above = floor;
  const Matrix more = sum_of_squares(5, 9, random);
  for (std::size_t i = 0; i < above.size(); ++i) above[i] += more[i];
  Matrix raised = above;
  symmetric::raise(raised.data(), floor.data(), 5);
  EXPECT_EQ(raised, above);
}

TEST(Symmetric, RaisingChangesOnlyTheDirectionsBelowTheFloor) {
  // Under the floor L L^T the matrix L diag(values) L^T has these eigenvalues.
  Random random(4);
  const std::size_t d = 4;
  const Matrix floor = sum_of_squares(d, 8, random);
  Matrix root(d * d, 0.0);
  symmetric::factorise(floor.data(), d, root.data());
  for (std::size_t i = 0; i < d * d; ++i) root[i] *= i % d <= i / d;  // the lower triangle
  const auto with_values = [&](const std::vector<double>& values) {
    Matrix matrix(d * d, 0.0);
    for (std::size_t i = 0; i < d * d; ++i) {
      for (std::size_t k = 0; k < d; ++k) {
        matrix[i] += root[i / d * d + k] * values[k] * root[i % d * d + k];
      }
    }
    return matrix;
  };
  Matrix raised = with_values({0.5, 3, 0, 1.5});
  symmetric::raise(raised.data(), floor.data(), d);
  expect_near(raised, with_values({1, 3, 1, 1.5}), 1e-12);
}

}  // namespace
}  // namespace powercut
