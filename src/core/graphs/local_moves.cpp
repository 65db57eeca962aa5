#include "graphs/local_moves.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/large_pages.hpp"
#include "base/order.hpp"
#include "base/threads.hpp"
#include "graphs/connectivity.hpp"
#include "graphs/long_rows.hpp"
#include "graphs/neighborhood.hpp"
#include "graphs/proposals.hpp"
#include "graphs/pulls.hpp"
#include "graphs/row_prefetch.hpp"
#include "graphs/scored_clusters.hpp"
#include "search/conflicts.hpp"
#include "search/moves.hpp"

namespace powercut {
namespace {

/// Consecutive nodes that are visited together as long as few of them are neighbors.
constexpr Node long_run = 16;
/// The least number of edges for which another thread pays off.
constexpr Entry edges_per_range = 4096;

template <class Score>
class GraphMover {
 public:
  GraphMover(const Score& score, const GraphView& graph, const NodeArrays& nodes,
             std::span<Label> labels, Label n_labels, const Objective& j,
             const GraphMoveOptions& options, CancellationToken& token, Clusters known)
      : graph_(graph),
        nodes_(nodes),
        labels_(labels),
        options_(options),
        token_(token),
        ticker_(token),
        mean_edges_(std::max<Entry>(1, graph.size() / std::max<Node>(1, graph.rows()))),
        team_(threads()),
        clusters_(score, j,
                  known.empty() ? cluster_stats(graph, nodes, labels, n_labels, team_, ticker_)
                                : std::move(known),
                  options.limits, options.inertia, !options.pulls.any()),
        before_(value()),
        conflicts_(options.conflicts, labels, n_labels),
        pulls_(options.pulls, labels, n_labels),
        connectivity_(options.keep_connected ? graph.rows() : 0),
        order_(graph.rows(), options.seed),
        neighborhoods_(team_.size()),
        long_rows_(graph, team_, ticker_),
        state_(graph.rows(), options.first == nullptr ? queued : settled),
        batch_of_(graph.rows(), 0),
        remote_(options.workers),
        // Small batches contain few pairs of neighbors, but their numbers must fit in 16 bits.
        batch_size_(
            std::max<Count>(graph.rows() / max_batches + 1, graph.rows() / (8 * mean_edges_))),
        proposals_(batch_size_),
        run_length_(batch_size_ >= 16 * long_run ? long_run : 1) {
    // Reserved pages that are never written cost no memory; growing would hold the queue twice.
    queue_.reserve(graph.rows());
    if (options.first != nullptr) {
      for (Node i = 0; i < graph.rows(); ++i) {
        if (options.first[i]) state_[i] = queued;
      }
    }
  }

  GraphMoveSummary run() {
    const double least = options_.negligible * static_cast<double>(graph_.rows());
    Count moves_at_last_restart = 0;
    Count visits = 0;
    while (visits < max_visits * graph_.rows()) {
      collect_queue();
      if (queue_.empty()) {
        if (!options_.exhaustive || moves_ == moves_at_last_restart) break;
        moves_at_last_restart = moves_;
        std::fill(state_.begin(), state_.end(), queued);
        continue;
      }
      visits += static_cast<Count>(queue_.size());
      const Count moves_before = moves_;
      if (token_.wants_report()) report(value());
      round();
      ++rounds_;
      if (!options_.exhaustive && static_cast<double>(moves_ - moves_before) <= least) break;
      queue_neighbors();
    }
    if (graph_.is_weighted() && moves_ > 0) {
      // Running sums have accumulated rounding errors; the final J comes from fresh sums.
      clusters_.set(cluster_stats(graph_, nodes_, labels_, clusters_.size(), team_, ticker_));
    }
    const double after = value();
    report(after);
    return {before_, after, moves_, clusters_.take()};
  }

 private:
  using Batch = std::uint16_t;
  static constexpr Count max_batches = std::numeric_limits<Batch>::max() - 1;

  /// Whether a node is to be visited in the next round, or has proposed a move in this one.
  enum State : std::uint8_t { settled, queued, proposed };

  /// J without its constant.
  double value() const { return clusters_.value() + options_.pulls.value(labels_); }

  int threads() const {
    return static_cast<int>(
        std::clamp<Entry>(graph_.size() / (4 * edges_per_range), 1, options_.n_threads));
  }

  std::int64_t range_length() const {
    return std::max<std::int64_t>(1, edges_per_range / mean_edges_);
  }

  /// Reports progress; without J if nodes may move only within groups, where J is not comparable.
  void report(double value) const {
    const double j = options_.within != nullptr ? std::numeric_limits<double>::quiet_NaN()
                                                : value + clusters_.constant();
    token_.report({graph_.rows(), rounds_, moves_, j});
  }

  /// Lists the nodes to visit in a new order.
  void collect_queue() {
    queue_.clear();
    order_.for_each(run_length_, [&](Node node) {
      if (state_[node] == queued) queue_.push_back(node);
    });
    for (const Node node : queue_) state_[node] = settled;
  }

  void round() {
    const Count n = static_cast<Count>(queue_.size());
    n_moved_ = 0;
    remote_.begin_round(n * mean_edges_, labels_, clusters_.all());
    Batch batch = 0;
    for (Count first = 0; first < n; first += batch_size_) {
      ++batch;
      const Count length = std::min(batch_size_, n - first);
      const std::span<const Node> nodes(queue_.data() + first, static_cast<std::size_t>(length));
      if (remote_.is_remote()) {
        propose_remotely(batch, nodes);
      } else {
        propose_locally(batch, nodes);
      }
      for (Count k = 0; k < length; ++k) {
        prefetch_commit(nodes, k);
        if (state_[nodes[k]] == proposed) commit(nodes[k], proposals_[k]);
      }
    }
    // If node numbers follow the clusters, runs consist of neighbors, most of which are deferred.
    if (4 * n_deferred_ > n_proposed_) run_length_ = 1;
    n_proposed_ = n_deferred_ = 0;
  }

  /// Finds the best moves of a batch, and which of them must be deferred.
  void propose_locally(Batch batch, std::span<const Node> nodes) {
    const std::int64_t length = static_cast<std::int64_t>(nodes.size());
    team_.for_ranges(length, range_length(), [&](int thread, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        prefetch_ahead(nodes, k);
        batch_of_[nodes[k]] = batch;
        if (is_long(nodes[k])) {
          long_rows_.postpone(k);
        } else {
          proposals_[k] = propose(thread, nodes[k], false);
        }
      }
    });
    for (const std::int64_t k : long_rows_.postponed()) proposals_[k] = propose(0, nodes[k], true);
    if (length < 2) return long_rows_.forget_postponed();
    team_.for_ranges(length, range_length(), [&](int, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        prefetch_next_rows(graph_, nodes, k, state_.data(),
                           [&](Node i) { return state_[i] == proposed; });
        if (!is_long(nodes[k])) defer(nodes[k], proposals_[k]);
      }
    });
    for (const std::int64_t k : long_rows_.postponed()) defer_long(nodes[k], proposals_[k]);
    long_rows_.forget_postponed();
  }

  /// Whether all threads together read a row.
  bool is_long(Node node) const { return long_rows_.is_long(node) && options_.within == nullptr; }

  /// Requests both from the workers.
  void propose_remotely(Batch batch, std::span<const Node> nodes) {
    const Proposals answer = remote_.propose(batch, nodes, labels_, clusters_.all());
    for (std::size_t p = 0; p < answer.place.size(); ++p) {
      const Node k = answer.place[p];
      state_[nodes[k]] = proposed;
      proposals_[k] = {answer.target[p], false, answer.own_link[p], answer.target_link[p],
                       answer.loops[p]};
    }
    std::size_t rival = 0;
    for (std::size_t p = 0; p < answer.place.size(); ++p) {
      bool& deferred = proposals_[answer.place[p]].deferred;
      for (Node r = 0; r < answer.n_rivals[p]; ++r) {
        deferred |= state_[answer.rivals[rival++]] == proposed;
      }
    }
  }

  /// Prefetches what the next nodes of the batch need.
  void prefetch_ahead(std::span<const Node> nodes, std::size_t k) const {
    prefetch_next_rows(graph_, nodes, k, labels_.data());
    if (k + 2 * rows_ahead < nodes.size()) {
      const Node node = nodes[k + 2 * rows_ahead];
      nodes_.prefetch(node);
      prefetch_memory(&labels_[node]);
      prefetch_memory(&batch_of_[node]);
    }
    if (k + rows_ahead < nodes.size()) clusters_.prefetch(labels_[nodes[k + rows_ahead]]);
  }

  /// Prefetches what the commits of the next nodes of the batch need.
  void prefetch_commit(std::span<const Node> nodes, std::size_t k) const {
    if (k + 2 * rows_ahead < nodes.size()) {
      const Node node = nodes[k + 2 * rows_ahead];
      prefetch_memory(&state_[node]);
      prefetch_memory(&labels_[node]);
      nodes_.prefetch(node);
    }
    if (k + rows_ahead >= nodes.size()) return;
    const Node node = nodes[k + rows_ahead];
    if (state_[node] != proposed) return;
    clusters_.prefetch(labels_[node]);
    const Label target = proposals_[k + rows_ahead].target;
    if (target != new_cluster) clusters_.prefetch(target);
  }

  Proposal propose(int thread, Node node, bool with_all_threads) {
    const auto best = [&](auto&& allowed, const auto& pull) {
      if (with_all_threads) return propose_long(node, allowed, pull);
      return best_proposal(graph_, nodes_, labels_, options_.within, clusters_, node,
                           neighborhoods_[thread], allowed, pull);
    };
    const bool is_pulled = pulls_.concern(node);
    const bool conflicts = conflicts_.concern(node);
    const Proposal proposal =
        is_pulled ? best(
                        [&](Label c) {
                          return (!conflicts || conflicts_.allow(node, c)) &&
                                 connects(c, neighborhoods_[thread].weight_to(c));
                        },
                        NodePull{pulls_.all(), node, labels_[node]})
        : conflicts ? best([&](Label c) { return conflicts_.allow(node, c); }, NoPull{})
                    : best(any_cluster, NoPull{});
    if (thread == 0) ticker_.tick(1 + graph_.length(node));
    if (proposal.target != labels_[node]) state_[node] = proposed;
    return proposal;
  }

  template <class Allowed, class Pull>
  Proposal propose_long(Node node, Allowed&& allowed, const Pull& pull) {
    Neighborhood& links = neighborhoods_[0];
    links.reset(std::min<Entry>(graph_.length(node) + std::ssize(pull.homes()), clusters_.size()));
    const double loops = long_rows_.gather(
        node, [&](Node other) { return other == node ? -1 : labels_[other]; }, clusters_.size(),
        labels_.data(), links);
    return best_proposal(nodes_, clusters_, node, labels_[node], loops, links, allowed, pull);
  }

  /// Whether a cluster is connected with a node that has this link to it, if it has to be.
  bool connects(Label target, double link) const {
    return !options_.keep_connected || target == new_cluster || link > 0 || pulls_.hold_any(target);
  }

  /// Of two neighbors that propose moves, the one with the higher number is deferred: the other
  /// move may change its links.
  void defer(Node node, Proposal& proposal) const {
    if (state_[node] != proposed) return;
    graph_.for_each(
        node,
        [&](Node other, double)
            POWERCUT_INLINE { proposal.deferred |= other < node && state_[other] == proposed; },
        state_.data());
  }

  void defer_long(Node node, Proposal& proposal) {
    if (state_[node] != proposed) return;
    std::atomic<bool> deferred{false};
    long_rows_.for_each(
        node,
        [&](Node other, double) POWERCUT_INLINE {
          if (other < node && state_[other] == proposed) {
            deferred.store(true, std::memory_order_relaxed);
          }
        },
        state_.data());
    proposal.deferred = deferred.load(std::memory_order_relaxed);
  }

  /// Makes a proposed move if it is still allowed and lowers J after the moves before it.
  void commit(Node node, const Proposal& proposal) {
    state_[node] = queued;
    ++n_proposed_;
    if (proposal.deferred) {
      ++n_deferred_;
      return;
    }
    if (conflicts_.concern(node) && !conflicts_.allow(node, proposal.target)) return;
    const Label own = labels_[node];
    double pull = 0;
    if (pulls_.concern(node)) {
      if (!may_join_home(proposal)) return;
      pull = pulls_.all().change(node, own, proposal.target);
    }
    const ClusterStats stats = nodes_.singleton(node, proposal.loops);
    if (!clusters_.gains(stats, own, proposal.own_link, proposal.target, proposal.target_link,
                         pull)) {
      return;
    }
    state_[node] = settled;
    if (options_.keep_connected &&
        !connectivity_.survives_leaving(graph_, labels_, pulls_, node, ticker_)) {
      return;
    }
    labels_[node] =
        clusters_.move(stats, own, proposal.own_link, proposal.target, proposal.target_link);
    conflicts_.add_move(node, own, labels_[node]);
    pulls_.add_move(node, own, labels_[node]);
    remote_.add_move(node, own, labels_[node]);
    queue_[n_moved_++] = node;
    ++moves_;
  }

  /// Whether the target is still there. A home that the node has no edge to may be gone.
  bool may_join_home(const Proposal& proposal) const {
    return proposal.target == new_cluster || proposal.target_link > 0 ||
           (clusters_.all()[proposal.target].count > 0 && connects(proposal.target, 0));
  }

  /// Queues the neighbors of moved nodes, and nodes in conflict with them, that were visited before
  /// the move.
  void queue_neighbors() {
    const std::span<const Node> moved(queue_.data(), static_cast<std::size_t>(n_moved_));
    if (remote_.is_remote()) {
      for (const Node node : remote_.nodes_to_revisit(moved, labels_, clusters_.all())) {
        state_[node] = queued;
      }
      return;
    }
    team_.for_ranges(n_moved_, range_length(),
                     [&](int thread, std::int64_t begin, std::int64_t end) {
                       for (std::int64_t k = begin; k < end; ++k) {
                         prefetch_next_rows(graph_, moved, k, state_.data());
                         if (is_long(moved[k])) {
                           long_rows_.postpone(k);
                         } else {
                           graph_.for_each(moved[k], queue_of(moved[k]), state_.data());
                         }
                         queue_conflicting(moved[k]);
                         if (thread == 0) ticker_.tick(mean_edges_);
                       }
                     });
    for (const std::int64_t k : long_rows_.postponed()) {
      long_rows_.for_each(moved[k], queue_of(moved[k]), state_.data());
    }
    long_rows_.forget_postponed();
    std::fill(batch_of_.begin(), batch_of_.end(), 0);
  }

  void queue_conflicting(Node node) {
    if (!conflicts_.concern(node)) return;
    for (const Node other : conflicts_.of(node)) queue_of(node)(other, 0);
  }

  /// A function that queues a neighbor of a node that moved. After a round with many moves most
  /// neighbors are queued already, which one byte tells.
  auto queue_of(Node node) {
    return [this, label = labels_[node], batch = batch_of_[node]](Node other, double)
               POWERCUT_INLINE {
                 std::atomic_ref state(state_[other]);
                 if (state.load(std::memory_order_relaxed) != queued && batch_of_[other] <= batch &&
                     labels_[other] != label) {
                   state.store(queued, std::memory_order_relaxed);
                 }
               };
  }

  const GraphView& graph_;
  const NodeArrays& nodes_;
  std::span<Label> labels_;
  const GraphMoveOptions& options_;
  CancellationToken& token_;
  Ticker ticker_;
  Entry mean_edges_;
  ThreadTeam team_;
  ScoredGraphClusters<Score> clusters_;
  double before_;
  ClusterConflicts conflicts_;
  ClusterPulls pulls_;
  Connectivity connectivity_;
  Order order_;
  std::vector<Neighborhood> neighborhoods_;  ///< one per thread
  LongRows long_rows_;
  LargeVector<std::uint8_t> state_;
  LargeVector<Batch> batch_of_;  ///< of each node in this round, from 1; 0: not visited (yet)
  LargeVector<Node> queue_;      ///< nodes to visit; moved nodes overwrite its visited part
  Count n_moved_ = 0;
  RemoteRounds remote_;
  Count batch_size_;
  std::vector<Proposal> proposals_;  ///< of the nodes of a batch
  Node run_length_;
  Count n_proposed_ = 0;
  Count n_deferred_ = 0;
  Count moves_ = 0;
  Count rounds_ = 0;
};

}  // namespace

GraphMoveSummary local_moves(const GraphView& graph, const NodeArrays& nodes,
                             std::span<Label> labels, Label n_labels, const Objective& j,
                             const GraphMoveOptions& options, CancellationToken& token,
                             Clusters known) {
  return with_score(j.score, j.score_parameters, [&](const auto& score) {
    return GraphMover(score, graph, nodes, labels, n_labels, j, options, token, std::move(known))
        .run();
  });
}

}  // namespace powercut
