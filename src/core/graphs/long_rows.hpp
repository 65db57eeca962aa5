#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "graphs/neighborhood.hpp"
#include "graphs/view.hpp"

namespace powercut {

/// A group with more entries is read by all threads together: coarse levels have few large groups
/// with most of the edges, and one thread would read them while the others wait.
constexpr Entry long_row = 1 << 17;
/// Members of such a group that a thread reads at a time.
constexpr std::int64_t members_per_part = 1 << 12;

/// Reads the rows of large groups by all threads. Parts of a group are added in their order, so
/// sums do not depend on the number of threads.
class LongRows {
 public:
  LongRows(const GraphView& graph, ThreadTeam& team, Ticker& ticker)
      : graph_(graph), team_(team), ticker_(ticker), of_thread_(team.size()) {}

  /// Whether a row is to be read in this way.
  bool is_long(Node node) const {
    return graph_.length(node) > long_row && !graph_.members(node).empty();
  }

  /// Notes a position in a loop over rows, at which there is a long one. Thread-safe.
  void postpone(std::int64_t position) {
    const std::scoped_lock lock(postponing_);
    postponed_.push_back(position);
  }
  std::span<const std::int64_t> postponed() const { return postponed_; }
  void forget_postponed() { postponed_.clear(); }

  /// Adds the edges of a group to `sums`, where there is room for them: each to the cluster
  /// label_of(neighbor), or to the self-loops, whose weight is returned, if that is negative. The
  /// labels of the neighbors are prefetched, if they are given.
  template <class LabelOf>
  double gather(Node group, LabelOf&& label_of, Label n_labels, const Label* labels,
                Neighborhood& sums) {
    const std::span<const Node> members = graph_.members(group);
    const std::size_t at_once = members_per_part * 4 * static_cast<std::size_t>(team_.size());
    double loops = 0;
    for (std::size_t first = 0; first < members.size(); first += at_once) {
      const std::span<const Node> some =
          members.subspan(first, std::min(at_once, members.size() - first));
      parts_.resize((some.size() + members_per_part - 1) / members_per_part);
      for_parts(some, [&](int thread, std::int64_t begin, std::span<const Node> part) {
        const Entry entries = parts_[begin / members_per_part].gather(
            graph_, part, label_of, n_labels, labels, of_thread_[thread]);
        if (thread == 0) ticker_.tick(entries);
      });
      for (const Part& part : parts_) {
        loops += part.loops;
        for (const Neighborhood::Link& link : part.links) sums.add(link.label, link.weight);
      }
    }
    return loops;
  }

  /// Calls visit(neighbor, weight) for each edge of a group, from several threads and in any order;
  /// what an array has for the neighbors is prefetched.
  template <class Visit, class T>
  void for_each(Node group, Visit&& visit, const T* of_neighbor) {
    for_parts(graph_.members(group), [&](int, std::int64_t, std::span<const Node> part) {
      graph_.for_each_of(part, visit, of_neighbor);
    });
  }

 private:
  struct Part {
    std::vector<Neighborhood::Link> links;
    double loops = 0;

    /// Returns the number of entries read.
    template <class LabelOf>
    Entry gather(const GraphView& graph, std::span<const Node> members, LabelOf&& label_of,
                 Label n_labels, const Label* labels, Neighborhood& sums) {
      const Entry entries = graph.length_of_members(members);
      loops = 0;
      sums.reset(std::min<Entry>(entries, n_labels));
      graph.for_each_of(
          members,
          [&](Node other, double w) POWERCUT_INLINE {
            const Label label = label_of(other);
            if (label < 0) {
              loops += w;
            } else {
              sums.add(label, w);
            }
          },
          labels);
      links.assign(sums.links().begin(), sums.links().end());
      return entries;
    }
  };

  template <class Body>
  void for_parts(std::span<const Node> members, Body&& body) {
    team_.for_ranges(std::ssize(members), members_per_part,
                     [&](int thread, std::int64_t begin, std::int64_t end) {
                       body(thread, begin, members.subspan(begin, end - begin));
                     });
  }

  const GraphView& graph_;
  ThreadTeam& team_;
  Ticker& ticker_;
  std::vector<Neighborhood> of_thread_;
  std::vector<Part> parts_;
  std::mutex postponing_;
  std::vector<std::int64_t> postponed_;
};

}  // namespace powercut
