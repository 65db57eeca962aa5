#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// The sum over all entries, in the order of the rows, of what "at least one edge" saves against
/// "just one", ln(rate) - ln(1 - exp(-rate)) - rate. The rate of two nodes is the product of
/// their sizes and the density of their cluster, or the background where they have not the same.
double beyond_poisson(const GraphView& graph, std::span<const double> size,
                      std::span<const Label> labels, std::span<const double> density,
                      double background, Team& team, Ticker& ticker);

}  // namespace powercut
