#pragma once

#include <cstdint>
#include <span>

#include "base/cancellation.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// Labels the connected components of each cluster, numbered by smallest member; returns how many
/// there are. If it is told for each cluster whether it may be disconnected, only the rows of
/// members of these are read. Labels lie in [0, rows], as a table of all labels is made, and rows
/// must be stored.
Label split_components(const GraphView& graph, std::span<const Label> labels,
                       std::span<Label> components, ThreadTeam& team, CancellationToken& token,
                       std::span<const bool> may_split = {});

/// For each pair of nodes of one cluster, tells whether no path inside the cluster leads from one
/// to the other. Searches from both until they meet, which are short in a cluster that is well
/// connected. After about so many entries were read, the pairs that are left are taken as
/// separated.
void find_separated(const GraphView& graph, std::span<const Label> labels,
                    std::span<const Node> from, std::span<const Node> to, Entry most_entries,
                    std::span<std::uint8_t> separated, CancellationToken& token);

}  // namespace powercut
