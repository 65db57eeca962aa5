#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/types.hpp"
#include "prior/increments.hpp"

namespace powercut {

/// Cluster sizes, which change during a pass, and the increments of the size prior.
class LiveSizes {
 public:
  LiveSizes(const PriorParameters& prior, Count total)
      : prior_(prior.concentration, prior.discount, prior.tradeoff, total) {}

  void count(std::span<const Label> labels, Label n_labels) {
    sizes_.assign(n_labels, 0);
    for (const Label c : labels) ++sizes_[c];
    clusters_ = static_cast<Count>(n_labels) - std::ranges::count(sizes_, Count{0});
    largest_ = labels.empty() ? 0 : *std::ranges::max_element(sizes_);
  }

  Label n_labels() const { return static_cast<Label>(sizes_.size()); }
  Count operator[](Label c) const { return sizes_[c]; }
  double leave(Label c) const { return prior_.leave(sizes_[c], 1, clusters_); }
  double join(Label c) const { return prior_.join(sizes_[c], 1); }
  double open() const { return prior_.open(1, clusters_); }
  /// A lower bound of join(c) over all clusters.
  double best_join() const { return prior_.join(std::max<Count>(largest_, 1), 1); }
  double value() const { return prior_.of_sizes(sizes_); }
  double constant() const { return prior_.constant(); }

  void move(Label from, Label to) {
    if (to == n_labels()) sizes_.push_back(0);
    clusters_ += (sizes_[to] == 0) - (sizes_[from] == 1);
    --sizes_[from];
    largest_ = std::max(largest_, ++sizes_[to]);
  }

 private:
  Prior prior_;
  std::vector<Count> sizes_;
  Count clusters_ = 0;
  Count largest_ = 0;
};

/// Renumbers the labels in use as 0, 1, ... in the order of their first members.
inline Label number_by_first_member(std::span<Label> labels, Label n_labels) {
  std::vector<Label> renamed(n_labels, -1);
  Label next = 0;
  for (Label& c : labels) {
    if (renamed[c] < 0) renamed[c] = next++;
    c = renamed[c];
  }
  return next;
}

/// Passes of Algorithm 1 over a Space, which holds the means and computes distances to them.
template <class Space>
std::vector<double> lloyd_passes(Space& space, std::span<Label> labels, Label n_labels,
                                 const PriorParameters& prior, int max_passes,
                                 CancellationToken& token) {
  LiveSizes sizes(prior, static_cast<Count>(labels.size()));
  const auto refit = [&] {
    sizes.count(labels, n_labels);
    return space.update_means(labels, n_labels) + sizes.value();
  };
  std::vector<double> path{refit()};
  Count moves = 0;
  for (int pass = 0; pass < max_passes; ++pass) {
    const double j = path.back() + sizes.constant();
    token.report({static_cast<Node>(labels.size()), pass, moves, j});
    const Count moves_before = moves;
    for (Node i = 0; i < static_cast<Node>(labels.size()); ++i) {
      if (!space.can_move(i)) continue;
      const Label own = labels[i];
      const bool is_singleton = sizes[own] == 1;
      space.set_point(i);
      // Distances are compared with staying, so every move includes the cost of leaving.
      const double leave = sizes.leave(own);
      double best = is_singleton ? 0 : space.distance(i, own);
      Label target = own;
      space.for_candidates(i, sizes, leave, best, [&](Label c) {
        if (c == own || sizes[c] == 0) return;
        const double d = space.distance(i, c) + leave + sizes.join(c);
        if (d < best) {
          best = d;
          target = c;
        }
      });
      if (!is_singleton && leave + sizes.open() < best) {
        target = sizes.n_labels();
        space.open_cluster(i);
      }
      if (target == own) continue;
      sizes.move(own, target);
      labels[i] = target;
      ++moves;
    }
    if (moves == moves_before) break;
    n_labels = number_by_first_member(labels, sizes.n_labels());
    path.push_back(refit());
  }
  return path;
}

}  // namespace powercut
