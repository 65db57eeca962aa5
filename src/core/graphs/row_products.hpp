#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// The products of the rows of the matrix with a vector.
///
/// Each sum is in the order of the entries of its row: it does not depend on the threads.
void row_products(const GraphView& graph, std::span<const double> x, std::span<double> product,
                  ThreadTeam& team, Ticker& ticker);

}  // namespace powercut
