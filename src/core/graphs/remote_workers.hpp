#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/proposals.hpp"

namespace powercut {

/// What has changed since the last message to the workers.
struct Changes {
  std::span<const Node> moved;
  std::span<const Label> labels;    ///< of all nodes
  std::span<const Label> clusters;  ///< that nodes left or joined; may contain duplicates
  const Clusters& stats;            ///< of all clusters
};

/// Remote workers that read the rows of a graph and propose moves. They keep copies of the labels
/// and the cluster sums, which are updated by sending the changes; moves are made by the caller.
class RemoteGraphWorkers {
 public:
  virtual ~RemoteGraphWorkers() = default;
  /// Rounds that read fewer entries are computed locally: a request would cost more.
  virtual Count min_entries() const = 0;
  virtual void begin(std::span<const Label> labels, const Clusters& stats) = 0;
  /// `number` counts the batches of a round, from 1.
  virtual Proposals propose(std::uint16_t number, std::span<const Node> batch,
                            const Changes& changes) = 0;
  /// `moved` are all nodes that moved in the round.
  virtual std::vector<Node> nodes_to_revisit(std::span<const Node> moved,
                                             const Changes& changes) = 0;
};

/// The workers as seen by one search: knows which changes they have not received yet.
class RemoteRounds {
 public:
  explicit RemoteRounds(RemoteGraphWorkers* workers) : workers_(workers) {}

  /// Decides whether the workers compute a round that reads so many entries. The first such round
  /// sends them all labels and clusters.
  void begin_round(Count entries, std::span<const Label> labels, const Clusters& stats) {
    is_remote_ = workers_ != nullptr && entries >= workers_->min_entries();
    if (!is_remote_ || has_state_) return;
    workers_->begin(labels, stats);
    has_state_ = true;
  }

  bool is_remote() const { return is_remote_; }

  Proposals propose(std::uint16_t number, std::span<const Node> batch,
                    std::span<const Label> labels, const Clusters& stats) {
    Proposals proposals = workers_->propose(number, batch, {moved_, labels, clusters_, stats});
    mark_sent();
    return proposals;
  }

  std::vector<Node> nodes_to_revisit(std::span<const Node> moved, std::span<const Label> labels,
                                     const Clusters& stats) {
    std::vector<Node> nodes = workers_->nodes_to_revisit(moved, {moved_, labels, clusters_, stats});
    mark_sent();
    return nodes;
  }

  /// Remembers a move, to be sent with the next request.
  void add_move(Node node, Label from, Label to) {
    if (!has_state_) return;
    moved_.push_back(node);
    clusters_.insert(clusters_.end(), {from, to});
  }

 private:
  void mark_sent() {
    moved_.clear();
    clusters_.clear();
  }

  RemoteGraphWorkers* workers_;  ///< null: all rounds are local
  bool is_remote_ = false;       ///< for the current round
  bool has_state_ = false;       ///< the workers have all labels, except for the unsent changes
  std::vector<Node> moved_;      ///< unsent
  std::vector<Label> clusters_;  ///< unsent; may contain duplicates
};

}  // namespace powercut
