#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/proposals.hpp"

namespace powercut {

/// What has changed since it was told last.
struct Changes {
  std::span<const Node> moved;
  std::span<const Label> labels;    ///< of all nodes
  std::span<const Label> clusters;  ///< those that nodes left or joined; may come twice
  const Clusters& stats;            ///< of all clusters
};

/// Who looks at the rows of a graph where the one that makes the moves does not: it keeps labels
/// and clusters of its own, which it is told the changes of.
class Elsewhere {
 public:
  virtual ~Elsewhere() = default;
  /// A round that reads fewer is not worth asking for.
  virtual Count least_entries() const = 0;
  virtual void begin(std::span<const Label> labels, const Clusters& stats) = 0;
  /// `number` counts the blocks of a round, from 1.
  virtual Wishes wishes(std::uint16_t number, std::span<const Node> block,
                        const Changes& changes) = 0;
  /// `moved` are all those of the round.
  virtual std::vector<Node> called(std::span<const Node> moved, const Changes& changes) = 0;
};

}  // namespace powercut
