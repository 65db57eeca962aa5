#include "bindings/remote_workers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "graphs/clusters.hpp"
#include "graphs/proposals.hpp"
#include "search/moves.hpp"

namespace powercut {
namespace {

/// (place, target, own_link, target_link, loops, rivals, n_rivals) of each proposal.
using ProposalTuple =
    std::tuple<In<Node>, In<Label>, In<double>, In<double>, In<double>, In<Node>, In<Node>>;

/// (nodes that moved, their labels, clusters that changed, their sums)
auto to_tuple(const Changes& changes) {
  std::vector<Label> labels;
  for (const Node node : changes.moved) labels.push_back(changes.labels[node]);
  std::vector<Label> clusters(changes.clusters.begin(), changes.clusters.end());
  std::ranges::sort(clusters);
  clusters.erase(std::unique(clusters.begin(), clusters.end()), clusters.end());
  Clusters stats;
  for (const Label c : clusters) stats.push_back(changes.stats[c]);
  return std::make_tuple(copied(changes.moved), to_numpy(std::move(labels)),
                         to_numpy(std::move(clusters)), to_tuple(stats));
}

/// Forwards requests to a Python object, which sends them to the processes that hold the rows.
class PythonGraphWorkers : public RemoteGraphWorkers {
 public:
  PythonGraphWorkers(nb::object remote, Node n_nodes)
      : remote_(std::move(remote)),
        n_nodes_(n_nodes),
        min_entries_(nb::cast<Count>(remote_.attr("least_entries"))) {}

  Count min_entries() const override { return min_entries_; }

  void begin(std::span<const Label> labels, const Clusters& stats) override {
    nb::gil_scoped_acquire gil;
    remote_.attr("begin")(copied(labels), to_tuple(stats));
  }

  Proposals propose(std::uint16_t number, std::span<const Node> batch,
                    const Changes& changes) override {
    nb::gil_scoped_acquire gil;
    const nb::object answer = remote_.attr("propose")(number, copied(batch), to_tuple(changes));
    const auto [place, target, own_link, target_link, loops, rivals, n_rivals] =
        nb::cast<ProposalTuple>(answer);
    const std::size_t n = place.size();
    const Label n_labels = static_cast<Label>(changes.stats.size());
    require(target.size() == n && own_link.size() == n && target_link.size() == n &&
                loops.size() == n && n_rivals.size() == n,
            "arrays of proposals must be of the same length");
    check_labels(view_of(place), n, static_cast<Label>(batch.size()));
    check_labels(view_of(rivals), rivals.size(), n_nodes_);
    std::size_t all_rivals = 0;
    for (std::size_t p = 0; p < n; ++p) {
      require(
          target.data()[p] >= new_cluster && target.data()[p] < n_labels && n_rivals.data()[p] >= 0,
          "proposals must lead to a cluster");
      all_rivals += static_cast<std::size_t>(n_rivals.data()[p]);
    }
    require(all_rivals == rivals.size(), "each proposal must have its rivals");
    return {vector_of(place), vector_of(target), vector_of(own_link), vector_of(target_link),
            vector_of(loops), vector_of(rivals), vector_of(n_rivals)};
  }

  std::vector<Node> nodes_to_revisit(std::span<const Node> moved, const Changes& changes) override {
    nb::gil_scoped_acquire gil;
    const In<Node> nodes =
        nb::cast<In<Node>>(remote_.attr("nodes_to_revisit")(copied(moved), to_tuple(changes)));
    check_labels(view_of(nodes), nodes.size(), n_nodes_);
    return vector_of(nodes);
  }

 private:
  nb::object remote_;
  Node n_nodes_;
  Count min_entries_;
};

}  // namespace

std::unique_ptr<RemoteGraphWorkers> remote_workers_of(const std::optional<nb::object>& remote,
                                                      const GraphView& graph) {
  if (!remote) return nullptr;
  return std::make_unique<PythonGraphWorkers>(*remote, graph.rows());
}

}  // namespace powercut
