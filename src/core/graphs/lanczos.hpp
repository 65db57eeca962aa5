#pragma once

#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// A symmetric tridiagonal matrix; `beside` has one element fewer.
struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> beside;
};

/// The Lanczos iteration with N = S A S / `unit`, where S is the diagonal matrix `scale`, on
/// vectors orthogonal to `known`, a vector of length 1. It ends when the next vector is shorter
/// than `shortest`.
///
/// Vectors are made orthogonal only to the two before, and kept in single precision: largest
/// eigenvalues are right, but some are found more than once. Sums over nodes are made range by
/// range, so the result does not depend on the number of threads.
Tridiagonal lanczos(const GraphView& graph, std::span<const double> scale, double unit,
                    std::span<const float> known, std::span<const float> start, int n_steps,
                    double shortest, ThreadTeam& team, Ticker& ticker);

}  // namespace powercut
