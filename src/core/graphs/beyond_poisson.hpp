#pragma once

#include <span>

#include "base/cancellation.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// The log-likelihood ratio of "at least one edge" to "exactly one edge" under Poisson rates,
/// ln(rate) - ln(1 - exp(-rate)) - rate, summed over all entries of a symmetric matrix. The rate
/// of two nodes is the product of their sizes times the density of their common cluster, or times
/// the background.
double beyond_poisson(const GraphView& graph, std::span<const double> size,
                      std::span<const Label> labels, std::span<const double> density,
                      double background, ThreadTeam& team, Ticker& ticker);

}  // namespace powercut
