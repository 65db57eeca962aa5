#include "graphs/local_moves.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "base/large_pages.hpp"
#include "base/order.hpp"
#include "base/threads.hpp"
#include "graphs/connectivity.hpp"
#include "graphs/move_costs.hpp"
#include "graphs/proposals.hpp"
#include "search/moves.hpp"

namespace powercut {
namespace {

/// Nodes that are visited one after the other, while they keep out of each other's way.
constexpr Node long_run = 16;
/// Edges that are worth handing to another thread.
constexpr Entry edges_a_range = 4096;

template <class Score>
class Mover {
 public:
  Mover(const Score& score, const GraphView& graph, const NodeArrays& nodes,
        std::span<Label> labels, Label n_labels, const Objective& j, const MoveOptions& options,
        Cancel& cancel)
      : graph_(graph),
        nodes_(nodes),
        labels_(labels),
        options_(options),
        cancel_(cancel),
        ticker_(cancel),
        mean_edges_(std::max<Entry>(1, graph.size() / std::max<Node>(1, graph.rows()))),
        team_(threads()),
        clusters_(score, j, cluster_stats(graph, nodes, labels, n_labels, team_, ticker_)),
        before_(clusters_.value()),
        connectivity_(options.keep_connected ? graph.rows() : 0),
        order_(graph.rows(), options.seed),
        around_(team_.size()),
        waiting_(graph.rows(), turn),
        block_of_(graph.rows(), 0),
        // So few at a time that hardly any two are neighbours, and the blocks can be numbered.
        block_size_(
            std::max<Count>(graph.rows() / most_blocks + 1, graph.rows() / (8 * mean_edges_))),
        proposals_(block_size_),
        run_(block_size_ >= 16 * long_run ? long_run : 1) {
    // Room that is never used is never touched; to grow would be to hold the list twice.
    list_.reserve(graph.rows());
  }

  MoveSummary run() {
    const double least = options_.negligible * static_cast<double>(graph_.rows());
    Count moves_at_last_look = 0;
    Count visits = 0;
    while (visits < max_visits * graph_.rows()) {
      collect();
      if (list_.empty()) {
        if (!options_.exhaustive || moves_ == moves_at_last_look) break;
        moves_at_last_look = moves_;
        std::fill(waiting_.begin(), waiting_.end(), turn);
        continue;
      }
      visits += static_cast<Count>(list_.size());
      const Count moves_before = moves_;
      if (cancel_.listens()) tell(clusters_.value());
      round();
      ++rounds_;
      if (!options_.exhaustive && static_cast<double>(moves_ - moves_before) <= least) break;
      call_neighbours();
    }
    if (graph_.is_weighted() && moves_ > 0) {
      // Sums that were added to and subtracted from have lost digits; J is told from fresh ones.
      clusters_.set(cluster_stats(graph_, nodes_, labels_, clusters_.size(), team_, ticker_));
    }
    const double after = clusters_.value();
    tell(after);
    return {before_, after, moves_, clusters_.take()};
  }

 private:
  using Block = std::uint16_t;
  static constexpr Count most_blocks = std::numeric_limits<Block>::max() - 1;

  /// What a node waits for.
  enum Waiting : std::uint8_t { nothing, turn, commit };

  int threads() const {
    return static_cast<int>(
        std::clamp<Entry>(graph_.size() / (4 * edges_a_range), 1, options_.n_threads));
  }

  std::int64_t grain() const { return std::max<std::int64_t>(1, edges_a_range / mean_edges_); }

  /// Says where the work is. J of parts that only meet inside their group is nobody's J.
  void tell(double value) const {
    const double j = options_.within != nullptr ? std::numeric_limits<double>::quiet_NaN()
                                                : value + clusters_.constant();
    cancel_.hear({graph_.rows(), rounds_, moves_, j});
  }

  /// Lists those whose turn it is, in a new order.
  void collect() {
    list_.clear();
    order_.for_each(run_, [&](Node node) {
      if (waiting_[node] == turn) list_.push_back(node);
    });
    for (const Node node : list_) waiting_[node] = nothing;
  }

  void round() {
    const Count n = static_cast<Count>(list_.size());
    n_moved_ = 0;
    leave_or_stay(n);
    Block block = 0;
    for (Count first = 0; first < n; first += block_size_) {
      ++block;
      const Count length = std::min(block_size_, n - first);
      const std::span<const Node> nodes(list_.data() + first, static_cast<std::size_t>(length));
      if (is_elsewhere_) {
        ask(block, nodes);
      } else {
        look(block, nodes);
      }
      for (Count k = 0; k < length; ++k) {
        if (waiting_[nodes[k]] == commit) make(nodes[k], proposals_[k]);
      }
    }
    // Where numbers follow the clusters, a run is all neighbours.
    if (4 * deferred_ > wanted_) run_ = 1;
    wanted_ = deferred_ = 0;
  }

  /// Finds the best moves of a block, and who must wait.
  void look(Block block, std::span<const Node> nodes) {
    const std::int64_t length = static_cast<std::int64_t>(nodes.size());
    team_.for_ranges(length, grain(), [&](int member, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        expect(nodes, k);
        block_of_[nodes[k]] = block;
        proposals_[k] = propose(member, nodes[k]);
      }
    });
    if (length < 2) return;
    team_.for_ranges(length, grain(), [&](int, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) defer(nodes[k], proposals_[k]);
    });
  }

  /// Has both found elsewhere.
  void ask(Block block, std::span<const Node> nodes) {
    const Wishes wishes = options_.elsewhere->wishes(block, nodes, changes());
    told();
    for (std::size_t w = 0; w < wishes.place.size(); ++w) {
      const Node k = wishes.place[w];
      waiting_[nodes[k]] = commit;
      proposals_[k] = {wishes.target[w], false, wishes.own_link[w], wishes.target_link[w],
                       wishes.loops[w]};
    }
    std::size_t rival = 0;
    for (std::size_t w = 0; w < wishes.place.size(); ++w) {
      bool& deferred = proposals_[wishes.place[w]].deferred;
      for (Node r = 0; r < wishes.n_rivals[w]; ++r) {
        deferred |= waiting_[wishes.rivals[rival++]] == commit;
      }
    }
  }

  /// Decides where the rows of a round of so many are looked at.
  void leave_or_stay(Count turns) {
    Elsewhere* const elsewhere = options_.elsewhere;
    is_elsewhere_ = elsewhere != nullptr && turns * mean_edges_ >= elsewhere->least_entries();
    if (!is_elsewhere_ || is_known_) return;
    elsewhere->begin(labels_, clusters_.all());
    is_known_ = true;
  }

  /// What is not known elsewhere yet.
  Changes changes() const { return {untold_, labels_, touched_, clusters_.all()}; }

  void told() {
    untold_.clear();
    touched_.clear();
  }

  /// Brings what will be needed of the next nodes near.
  void expect(std::span<const Node> nodes, std::int64_t k) const {
    constexpr std::int64_t soon = 8;
    const std::int64_t n = static_cast<std::int64_t>(nodes.size());
    if (k + 2 * soon < n) {
      const Node node = nodes[k + 2 * soon];
      graph_.expect_offset(node);
      nodes_.expect(node);
      prefetch(&labels_[node]);
      prefetch(&block_of_[node]);
    }
    if (k + soon < n) {
      graph_.expect_entries(nodes[k + soon]);
      clusters_.expect(labels_[nodes[k + soon]]);
    }
  }

  Proposal propose(int member, Node node) {
    const Proposal proposal =
        best_proposal(graph_, nodes_, labels_, options_.within, clusters_, node, around_[member]);
    if (member == 0) ticker_.tick(1 + graph_.length(node));
    if (proposal.target != labels_[node]) waiting_[node] = commit;
    return proposal;
  }

  /// Of two neighbours that want to move, the one of the higher number waits: what joins it
  /// to its clusters may change.
  void defer(Node node, Proposal& proposal) const {
    if (waiting_[node] != commit) return;
    graph_.for_each(node, [&](Node other, double) POWERCUT_INLINE {
      proposal.deferred |= other < node && waiting_[other] == commit;
    });
  }

  void make(Node node, const Proposal& proposal) {
    waiting_[node] = turn;
    ++wanted_;
    if (proposal.deferred) {
      ++deferred_;
      return;
    }
    const Label own = labels_[node];
    const ClusterStats stats = nodes_.alone(node, proposal.loops);
    if (!clusters_.gains(stats, own, proposal.own_link, proposal.target, proposal.target_link)) {
      return;
    }
    waiting_[node] = nothing;
    if (options_.keep_connected &&
        !connectivity_.survives_leaving(graph_, labels_, node, ticker_)) {
      return;
    }
    labels_[node] =
        clusters_.move(stats, own, proposal.own_link, proposal.target, proposal.target_link);
    if (is_known_) {
      untold_.push_back(node);
      touched_.insert(touched_.end(), {own, labels_[node]});
    }
    list_[n_moved_++] = node;
    ++moves_;
  }

  /// Those who have not seen a neighbour's move have their turn in the next round.
  void call_neighbours() {
    if (is_elsewhere_) {
      const std::span<const Node> moved(list_.data(), static_cast<std::size_t>(n_moved_));
      for (const Node node : options_.elsewhere->called(moved, changes())) waiting_[node] = turn;
      told();
      return;
    }
    team_.for_ranges(n_moved_, grain(), [&](int member, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        call_neighbours_of(list_[k]);
        if (member == 0) ticker_.tick(mean_edges_);
      }
    });
    std::fill(block_of_.begin(), block_of_.end(), 0);
  }

  void call_neighbours_of(Node node) {
    const Label label = labels_[node];
    const Block block = block_of_[node];
    graph_.for_each(node, [&](Node other, double) POWERCUT_INLINE {
      if (labels_[other] != label && block_of_[other] <= block) {
        std::atomic_ref(waiting_[other]).store(turn, std::memory_order_relaxed);
      }
    });
  }

  const GraphView& graph_;
  const NodeArrays& nodes_;
  std::span<Label> labels_;
  const MoveOptions& options_;
  Cancel& cancel_;
  Ticker ticker_;
  Entry mean_edges_;
  Team team_;
  Valuation<Score> clusters_;
  double before_;
  Connectivity connectivity_;
  Order order_;
  std::vector<Neighbourhood> around_;  ///< of each member of the team
  LargeVector<std::uint8_t> waiting_;
  LargeVector<Block> block_of_;  ///< in this round, from 1; 0: not yet, or not at all
  LargeVector<Node> list_;  ///< whose turn it is; those who moved take the places of those seen
  Count n_moved_ = 0;
  bool is_elsewhere_ = false;   ///< the rows of this round are looked at there
  bool is_known_ = false;       ///< labels are known there, but for the changes
  std::vector<Node> untold_;    ///< who has moved since
  std::vector<Label> touched_;  ///< clusters that have changed since
  Count block_size_;
  std::vector<Proposal> proposals_;
  Node run_;
  Count wanted_ = 0;
  Count deferred_ = 0;
  Count moves_ = 0;
  Count rounds_ = 0;
};

}  // namespace

MoveSummary local_moves(const GraphView& graph, const NodeArrays& nodes, std::span<Label> labels,
                        Label n_labels, const Objective& j, const MoveOptions& options,
                        Cancel& cancel) {
  return with_score(j.score, j.score_parameters, [&](const auto& score) {
    return Mover(score, graph, nodes, labels, n_labels, j, options, cancel).run();
  });
}

}  // namespace powercut
