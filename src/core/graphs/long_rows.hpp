#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
constexpr Entry long_row = 1 << 19;
/// Members of such a group that a thread reads at a time.
constexpr std::int64_t members_per_part = 1 << 14;

/// Calls body(thread, members) for each part of the members of a group.
template <class Body>
void for_parts(const GraphView& graph, Node group, ThreadTeam& team, Body&& body) {
  const std::span<const Node> members = graph.members(group);
  team.for_ranges(std::ssize(members), members_per_part,
                  [&](int thread, std::int64_t begin, std::int64_t end) {
                    body(thread, members.subspan(begin, end - begin));
                  });
}

/// Sums the edges of a large group to each cluster, by all threads. Parts of the group are added in
/// their order, so the sums do not depend on the number of threads.
class LongRows {
 public:
  /// Adds the edges to `sums`, where there is room for them: each to the cluster
  /// label_of(neighbor), or to the self-loops, whose weight is returned, if that is negative. The
  /// labels of the neighbors are prefetched, if they are given.
  template <class LabelOf>
  double gather(const GraphView& graph, Node group, LabelOf&& label_of, Label n_labels,
                const Label* labels, ThreadTeam& team, Ticker& ticker, Neighborhood& sums) {
    const std::span<const Node> members = graph.members(group);
    const std::size_t at_once = members_per_part * 4 * static_cast<std::size_t>(team.size());
    of_thread_.resize(team.size());
    double loops = 0;
    for (std::size_t first = 0; first < members.size(); first += at_once) {
      const std::span<const Node> some =
          members.subspan(first, std::min(at_once, members.size() - first));
      parts_.resize((some.size() + members_per_part - 1) / members_per_part);
      team.for_ranges(std::ssize(some), members_per_part,
                      [&](int thread, std::int64_t begin, std::int64_t end) {
                        const Entry entries = parts_[begin / members_per_part].gather(
                            graph, some.subspan(begin, end - begin), label_of, n_labels, labels,
                            of_thread_[thread]);
                        if (thread == 0) ticker.tick(entries);
                      });
      for (const Part& part : parts_) {
        loops += part.loops;
        for (const Neighborhood::Link& link : part.links) sums.add(link.label, link.weight);
      }
    }
    return loops;
  }

 private:
  struct Part {
    std::vector<Neighborhood::Link> links;
    double loops = 0;

    /// Returns the number of entries read.
    template <class LabelOf>
    Entry gather(const GraphView& graph, std::span<const Node> members, LabelOf&& label_of,
                 Label n_labels, const Label* labels, Neighborhood& sums) {
      const Entry entries = graph.entries_of(members);
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

  std::vector<Neighborhood> of_thread_;
  std::vector<Part> parts_;
};

}  // namespace powercut
