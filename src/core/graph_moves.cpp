#include "graph_moves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>

#include "prior.hpp"
#include "random.hpp"

namespace powercut {
namespace {

/// What joins a node to the clusters around it: a short list, and for each
/// cluster its place in that list.
class Neighbourhood {
 public:
  struct Link {
    Label label;
    double weight;
  };

  explicit Neighbourhood(std::size_t n_labels) : place_(n_labels, 0) {}

  void grow(std::size_t n_labels) {
    if (n_labels > place_.size()) place_.resize(n_labels, 0);
  }

  void gather(const GraphView& graph, Node node, std::span<const Label> labels,
              const Label* within) {
    for (const Link& link : links_) place_[link.label] = 0;
    links_.clear();
    self_ = 0;
    graph.for_each(node, [&](Node other, double w) {
      if (other == node) {
        self_ += w;
        return;
      }
      if (within != nullptr && within[other] != within[node]) return;
      const Label label = labels[other];
      std::int32_t& place = place_[label];
      if (place == 0) {
        links_.push_back({label, 0});
        place = static_cast<std::int32_t>(links_.size());
      }
      links_[place - 1].weight += w;
    });
  }

  double self() const { return self_; }
  double weight_to(Label label) const {
    const std::int32_t place = place_[label];
    return place == 0 ? 0 : links_[place - 1].weight;
  }
  std::span<const Link> links() const { return links_; }

 private:
  std::vector<std::int32_t> place_;
  std::vector<Link> links_;
  double self_ = 0;
};

ClusterStats with_node(const ClusterStats& c, const ClusterStats& node, double link) {
  return {c.inside + 2 * link + node.inside, c.volume + node.volume, c.weight + node.weight,
          c.count + node.count};
}

ClusterStats without_node(const ClusterStats& c, const ClusterStats& node, double link) {
  if (c.count == node.count) return {};
  return {c.inside - 2 * link - node.inside, c.volume - node.volume, c.weight - node.weight,
          c.count - node.count};
}

template <class Score>
double worth(const Score& score, const ClusterStats& c) {
  return c.count == 0 ? 0 : score(c);
}

struct Move {
  Label target;
  double delta;
};

/// A gain must exceed the rounding of the terms it is the difference of, or moves
/// that gain nothing could go round in circles. Weights of very different size can
/// still lead to such moves; a bound on the visits of each node ends them.
constexpr double rounding = 1e-12;
constexpr Count max_visits = 1000;

/// Calls consider(target, delta, size of the terms it is the difference of) for each
/// cluster that a node could move to: those of its neighbours and, unless it is alone, a new one.
template <class Score, class Consider>
void for_each_move(const Score& score, const Prior& prior, std::span<const ClusterStats> clusters,
                   Count n_clusters, const ClusterStats& node, Label own,
                   const Neighbourhood& around, Consider&& consider) {
  const ClusterStats& from = clusters[own];
  const double from_worth = score(from);
  const double leave = worth(score, without_node(from, node, around.weight_to(own))) - from_worth +
                       prior.leave(from.count, node.count, n_clusters);
  const double terms = std::abs(from_worth) + prior.tradeoff();
  for (const auto& [label, weight] : around.links()) {
    if (label == own) continue;
    const ClusterStats& to = clusters[label];
    const double before = score(to);
    const double after = score(with_node(to, node, weight));
    consider(label, leave + after - before + prior.join(to.count, node.count),
             terms + std::abs(before));
  }
  if (from.count != node.count) {
    const double founded = score(node);
    consider(static_cast<Label>(clusters.size()),
             leave + founded + prior.found(node.count, n_clusters), terms + std::abs(founded));
  }
}

/// The best move of a node whose neighbourhood has been gathered; stays where it is on a tie.
template <class Score>
Move best_move(const Score& score, const Prior& prior, std::span<const ClusterStats> clusters,
               Count n_clusters, const ClusterStats& node, Label own,
               const Neighbourhood& around) {
  Move best{own, 0};
  for_each_move(score, prior, clusters, n_clusters, node, own, around,
                [&](Label target, double delta, double terms) {
                  if (delta < best.delta && delta < -rounding * terms) best = {target, delta};
                });
  return best;
}

/// First in, first out; nobody stands in it twice.
class Queue {
 public:
  explicit Queue(std::vector<Node> everybody)
      : ring_(std::move(everybody)), waiting_(ring_.size(), 1), size_(ring_.size()) {}

  bool empty() const { return size_ == 0; }
  Node pop() {
    const Node node = ring_[head_];
    head_ = head_ + 1 == ring_.size() ? 0 : head_ + 1;
    --size_;
    waiting_[node] = 0;
    return node;
  }
  void push(Node node) {
    if (waiting_[node]) return;
    waiting_[node] = 1;
    std::size_t tail = head_ + size_++;
    if (tail >= ring_.size()) tail -= ring_.size();
    ring_[tail] = node;
  }

 private:
  std::vector<Node> ring_;
  std::vector<char> waiting_;
  std::size_t head_ = 0;
  std::size_t size_;
};

/// Whether a cluster stays in one piece when a node leaves it: from one of the
/// node's neighbours in the cluster, walk inside the cluster to all the others.
class Connectivity {
 public:
  explicit Connectivity(Node n) : mark_(n, 0) {}

  bool survives_leaving(const GraphView& graph, std::span<const Label> labels, Node node,
                        Ticker& ticker) {
    begin_walk();
    const Label own = labels[node];
    const std::int32_t wanted = round_;
    const std::int32_t seen = round_ + 1;
    std::int64_t missing = 0;
    Node start = -1;
    graph.for_each(node, [&](Node other, double) {
      if (other == node || labels[other] != own || mark_[other] == wanted) return;
      mark_[other] = wanted;
      start = other;
      ++missing;
    });
    if (missing <= 1) return true;
    mark_[node] = seen;
    mark_[start] = seen;
    --missing;
    stack_.assign(1, start);
    while (!stack_.empty()) {
      const Node at = stack_.back();
      stack_.pop_back();
      graph.for_each(at, [&](Node other, double) {
        if (labels[other] != own || mark_[other] == seen) return;
        missing -= mark_[other] == wanted;
        mark_[other] = seen;
        stack_.push_back(other);
      });
      if (missing == 0) return true;
      ticker.tick(graph.length(at));
    }
    return false;
  }

 private:
  void begin_walk() {
    if (round_ > (std::int32_t{1} << 30)) {
      std::fill(mark_.begin(), mark_.end(), 0);
      round_ = 0;
    }
    round_ += 2;
  }

  std::vector<std::int32_t> mark_;
  std::vector<Node> stack_;
  std::int32_t round_ = 0;
};

template <class Score>
class LocalMover {
 public:
  LocalMover(const Score& score, const GraphView& graph, const NodeArrays& nodes,
             std::span<Label> labels, Label n_labels, const Objective& j,
             const MoveOptions& options, Cancel& cancel)
      : score_(score),
        graph_(graph),
        nodes_(nodes),
        labels_(labels),
        options_(options),
        ticker_(cancel),
        clusters_(cluster_stats(graph, nodes, labels, n_labels, &ticker_)),
        prior_(j.concentration, j.discount, j.tradeoff, total()),
        around_(clusters_.size()),
        connectivity_(options.keep_connected ? graph.rows() : 0) {
    for (Label c = n_labels; c-- > 0;) {
      if (clusters_[c].count == 0) {
        empty_.push_back(c);
      } else {
        ++n_clusters_;
      }
    }
  }

  MoveSummary run() {
    const double before = value();
    Count moves = 0;
    Count moves_at_last_look = 0;
    Queue queue(random_order());
    for (Count visits = 0; visits < max_visits * graph_.rows(); ++visits) {
      if (queue.empty()) {
        if (!options_.exhaustive || moves == moves_at_last_look) break;
        moves_at_last_look = moves;
        for (Node i = 0; i < graph_.rows(); ++i) queue.push(i);
      }
      const Node i = queue.pop();
      const Label own = labels_[i];
      around_.gather(graph_, i, labels_, options_.within);
      ticker_.tick(1 + graph_.length(i));
      const ClusterStats node = nodes_.alone(i, around_.self());
      const Move move = best_move(score_, prior_, clusters_, n_clusters_, node, own, around_);
      if (move.target == own) continue;
      if (options_.keep_connected && !connectivity_.survives_leaving(graph_, labels_, i, ticker_)) {
        continue;
      }
      const Label target = apply(i, node, move.target);
      ++moves;
      graph_.for_each(i, [&](Node other, double) {
        if (labels_[other] != target) queue.push(other);
      });
    }
    // Sums that were added to and subtracted from have lost digits; J is told from fresh ones.
    const Label n_labels = static_cast<Label>(clusters_.size());
    clusters_ = cluster_stats(graph_, nodes_, labels_, n_labels, &ticker_);
    return {before, value(), moves, n_labels};
  }

 private:
  Count total() const {
    return std::accumulate(clusters_.begin(), clusters_.end(), Count{0},
                           [](Count sum, const ClusterStats& c) { return sum + c.count; });
  }

  double value() const {
    double sum = 0;
    for (const ClusterStats& c : clusters_) sum += worth(score_, c);
    return sum + prior_.of_sizes(clusters_ | std::views::transform(&ClusterStats::count));
  }

  std::vector<Node> random_order() const {
    std::vector<Node> order(graph_.rows());
    std::iota(order.begin(), order.end(), 0);
    Random(options_.seed).shuffle(order);
    return order;
  }

  Label apply(Node i, const ClusterStats& node, Label target) {
    const Label own = labels_[i];
    if (target == static_cast<Label>(clusters_.size())) target = open_cluster();
    ClusterStats& from = clusters_[own];
    from = without_node(from, node, around_.weight_to(own));
    if (from.count == 0) {
      empty_.push_back(own);
      --n_clusters_;
    }
    ClusterStats& to = clusters_[target];
    if (to.count == 0) ++n_clusters_;
    to = with_node(to, node, around_.weight_to(target));
    labels_[i] = target;
    return target;
  }

  Label open_cluster() {
    if (!empty_.empty()) {
      const Label label = empty_.back();
      empty_.pop_back();
      return label;
    }
    clusters_.emplace_back();
    around_.grow(clusters_.size());
    return static_cast<Label>(clusters_.size() - 1);
  }

  const Score score_;
  const GraphView& graph_;
  const NodeArrays& nodes_;
  std::span<Label> labels_;
  const MoveOptions& options_;
  Ticker ticker_;
  std::vector<ClusterStats> clusters_;
  Prior prior_;
  Neighbourhood around_;
  Connectivity connectivity_;
  std::vector<Label> empty_;
  Count n_clusters_ = 0;
};

Count count_of(std::span<const ClusterStats> clusters, Count& n_clusters) {
  Count total = 0;
  for (const ClusterStats& c : clusters) {
    total += c.count;
    n_clusters += c.count > 0;
  }
  return total;
}

}  // namespace

double objective(const Objective& j, std::span<const ClusterStats> clusters) {
  Count n_clusters = 0;
  const Prior prior(j.concentration, j.discount, j.tradeoff, count_of(clusters, n_clusters));
  return with_score(j.score, j.score_parameters, [&](const auto& score) {
    double sum = 0;
    for (const ClusterStats& c : clusters) sum += worth(score, c);
    return sum + prior.of_sizes(clusters | std::views::transform(&ClusterStats::count));
  });
}

MoveSummary local_moves(const GraphView& graph, const NodeArrays& nodes, std::span<Label> labels,
                        Label n_labels, const Objective& j, const MoveOptions& options,
                        Cancel& cancel) {
  return with_score(j.score, j.score_parameters, [&](const auto& score) {
    return LocalMover(score, graph, nodes, labels, n_labels, j, options, cancel).run();
  });
}

void propose(const GraphView& block, const NodeArrays& nodes, std::span<const Label> labels,
             std::span<const ClusterStats> clusters, const Objective& j, std::span<Label> target,
             std::span<double> delta, Cancel& cancel) {
  Count n_clusters = 0;
  const Prior prior(j.concentration, j.discount, j.tradeoff, count_of(clusters, n_clusters));
  Ticker ticker(cancel);
  Neighbourhood around(clusters.size());
  with_score(j.score, j.score_parameters, [&](const auto& score) {
    for (Node i = block.first(); i < block.end(); ++i) {
      around.gather(block, i, labels, nullptr);
      ticker.tick(1 + block.length(i));
      const ClusterStats node = nodes.alone(i, around.self());
      const Move move = best_move(score, prior, clusters, n_clusters, node, labels[i], around);
      target[i - block.first()] = move.target;
      delta[i - block.first()] = move.delta;
    }
  });
}

void margins(const GraphView& graph, const NodeArrays& nodes, std::span<const Label> labels,
             Label n_labels, const Objective& j, std::span<double> margin, Cancel& cancel) {
  Ticker ticker(cancel);
  const std::vector<ClusterStats> clusters = cluster_stats(graph, nodes, labels, n_labels, &ticker);
  Count n_clusters = 0;
  const Prior prior(j.concentration, j.discount, j.tradeoff, count_of(clusters, n_clusters));
  Neighbourhood around(clusters.size());
  with_score(j.score, j.score_parameters, [&](const auto& score) {
    for (Node i = 0; i < graph.rows(); ++i) {
      around.gather(graph, i, labels, nullptr);
      ticker.tick(1 + graph.length(i));
      double smallest = std::numeric_limits<double>::infinity();
      for_each_move(score, prior, clusters, n_clusters, nodes.alone(i, around.self()), labels[i],
                    around, [&](Label, double delta, double) { smallest = std::min(smallest, delta); });
      margin[i] = smallest;
    }
  });
}

}  // namespace powercut
