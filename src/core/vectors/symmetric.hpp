#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

/// Small symmetric matrices, d x d, row after row.
namespace powercut::symmetric {

/// Writes the Cholesky factor of the lower triangle of a matrix to that of `root`, and its
/// transpose to the upper one; returns the logarithm of the determinant. Pivots are kept above the
/// rounding error of the diagonal elements.
inline double factorise(const double* matrix, std::size_t d, double* root) {
  std::copy_n(matrix, d * d, root);
  double sum = 0;
  for (std::size_t k = 0; k < d; ++k) {
    double* column = root + k * d;
    const double least = 1e-15 * std::abs(matrix[k * d + k]) + 1e-300;
    column[k] = std::sqrt(std::max(column[k], least));
    sum += std::log(column[k]);
    for (std::size_t j = k + 1; j < d; ++j) column[j] = root[j * d + k] /= column[k];
    for (std::size_t j = k + 1; j < d; ++j) {
      const double scaled = column[j];
      double* row = root + j * d;
      for (std::size_t i = k + 1; i <= j; ++i) row[i] -= scaled * column[i];
    }
  }
  return 2 * sum;
}

/// Whether all eigenvalues are positive; writes to the lower triangle of `root`.
inline bool is_positive(const double* matrix, std::size_t d, double* root) {
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i <= j; ++i) {
      double value = matrix[j * d + i];
      for (std::size_t k = 0; k < i; ++k) value -= root[j * d + k] * root[i * d + k];
      if (i == j && !(value > 0)) return false;
      root[j * d + i] = i < j ? value / root[i * d + i] : std::sqrt(value);
    }
  }
  return true;
}

/// Replaces x by the solution of root y = x.
inline void solve_lower(const double* root, std::size_t d, double* x) {
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < j; ++i) x[j] -= root[j * d + i] * x[i];
    x[j] /= root[j * d + j];
  }
}

/// Replaces x by the solution of root^T y = x.
inline void solve_upper(const double* root, std::size_t d, double* x) {
  for (std::size_t j = d; j-- > 0;) {
    x[j] /= root[j * d + j];
    for (std::size_t i = 0; i < j; ++i) x[i] -= root[j * d + i] * x[j];
  }
}

/// Writes the inverse of the matrix with this Cholesky factor.
inline void invert(const double* root, std::size_t d, double* inverse) {
  // Row j of `inverse` becomes column j of root^-1 first, which has zeros before j.
  std::fill_n(inverse, d * d, 0.0);
  for (std::size_t j = 0; j < d; ++j) {
    double* column = inverse + j * d;
    column[j] = 1 / root[j * d + j];
    for (std::size_t i = j + 1; i < d; ++i) {
      double sum = 0;
      for (std::size_t k = j; k < i; ++k) sum -= root[i * d + k] * column[k];
      column[i] = sum / root[i * d + i];
    }
  }
  // The inverse is root^-T root^-1; an element needs rows from its own on only.
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = j; i < d; ++i) {
      double sum = 0;
      for (std::size_t k = i; k < d; ++k) sum += inverse[j * d + k] * inverse[i * d + k];
      inverse[j * d + i] = sum;
    }
  }
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < j; ++i) inverse[j * d + i] = inverse[i * d + j];
  }
}

/// Makes a matrix diagonal by rotations (Jacobi's method): its diagonal becomes the eigenvalues,
/// and the rows of `axes` the eigenvectors.
inline void diagonalise(double* matrix, std::size_t d, double* axes) {
  constexpr int most_sweeps = 60;
  constexpr double rounding = 1e-17;
  std::fill_n(axes, d * d, 0.0);
  for (std::size_t j = 0; j < d; ++j) axes[j * d + j] = 1;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool rotated = false;
    for (std::size_t p = 0; p < d; ++p) {
      for (std::size_t q = p + 1; q < d; ++q) {
        const double off = matrix[p * d + q];
        const double least = rounding * std::abs(matrix[p * d + p] + matrix[q * d + q]);
        if (std::abs(off) <= least) continue;
        rotated = true;
        const double half = (matrix[q * d + q] - matrix[p * d + p]) / (2 * off);
        const double tangent = (half >= 0 ? 1 : -1) / (std::abs(half) + std::sqrt(half * half + 1));
        const double cosine = 1 / std::sqrt(tangent * tangent + 1), sine = tangent * cosine;
        const auto rotate = [=](double& x, double& y) {
          const double before = x;
          x = cosine * before - sine * y;
          y = sine * before + cosine * y;
        };
        for (std::size_t k = 0; k < d; ++k) rotate(matrix[k * d + p], matrix[k * d + q]);
        for (std::size_t k = 0; k < d; ++k) {
          rotate(matrix[p * d + k], matrix[q * d + k]);
          rotate(axes[p * d + k], axes[q * d + k]);
        }
        matrix[p * d + q] = matrix[q * d + p] = 0;
      }
    }
    if (!rotated) return;
  }
}

/// Raises a matrix to a floor: afterwards no direction has less variance than under the floor, a
/// positive matrix.
inline void raise(double* matrix, const double* floor, std::size_t d) {
  std::vector<double> above(matrix, matrix + d * d), root(d * d);
  for (std::size_t j = 0; j < d * d; ++j) above[j] -= floor[j];
  if (is_positive(above.data(), d, root.data())) return;
  // Whitened by the floor, all eigenvalues must be at least 1.
  factorise(floor, d, root.data());
  std::vector<double> white(matrix, matrix + d * d), axes(d * d);
  for (int side = 0; side < 2; ++side) {
    for (std::size_t j = 0; j < d; ++j) solve_lower(root.data(), d, &white[j * d]);
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t i = 0; i < j; ++i) std::swap(white[j * d + i], white[i * d + j]);
    }
  }
  diagonalise(white.data(), d, axes.data());
  bool enough = true;
  for (std::size_t j = 0; j < d; ++j) enough = enough && white[j * d + j] >= 1;
  if (enough) return;
  std::fill_n(matrix, d * d, 0.0);
  std::vector<double> axis(d);
  for (std::size_t a = 0; a < d; ++a) {  // root times each eigenvector
    for (std::size_t j = 0; j < d; ++j) {
      axis[j] = 0;
      for (std::size_t k = 0; k <= j; ++k) axis[j] += root[j * d + k] * axes[a * d + k];
    }
    const double value = std::max(white[a * d + a], 1.0);
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t i = 0; i < d; ++i) matrix[j * d + i] += value * axis[j] * axis[i];
    }
  }
}

}  // namespace powercut::symmetric
