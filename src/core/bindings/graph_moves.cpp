#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/cancellation.hpp"
#include "bindings/remote_workers.hpp"
#include "bindings/subjects.hpp"
#include "graphs/division.hpp"
#include "graphs/hierarchy.hpp"
#include "graphs/lloyd.hpp"
#include "graphs/local_moves.hpp"
#include "graphs/margins.hpp"
#include "graphs/multilevel.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace powercut {
namespace {

/// The least and the greatest number of nodes in a cluster; none: no limits.
using SizeTuple = std::optional<std::tuple<Count, Count>>;

SizeLimits limits_of(const SizeTuple& limits) {
  if (!limits) return {};
  const auto [smallest, largest] = *limits;
  require(1 <= smallest && smallest <= largest, "limits of sizes are not in order");
  return {smallest, largest};
}

auto bound_local_moves(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                       const InOut<Label>& labels, Label n_labels, const ObjectiveTuple& j,
                       std::optional<In<Label>> within, bool keep_connected, bool exhaustive,
                       double negligible, int n_threads, std::uint64_t seed, SharedToken* shared,
                       const std::optional<nb::object>& remote, std::optional<In<bool>> first,
                       double inertia, const SizeTuple& limits,
                       const std::optional<ConflictTuple>& conflicts,
                       const std::optional<PullTuple>& pulls,
                       const std::optional<ClusterTuple>& sums) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  check_labels(view_of(labels), graph.rows(), n_labels);
  require(!first || first->size() == labels.size(), "first needs an element for each node");
  require(inertia == 0 || !remote, "remote workers do not support inertia");
  require(!limits || !remote, "remote workers do not support limits of sizes");
  require(!within || within->size() == labels.size(), "a group is needed for each node");
  require(!within || !remote, "remote workers do not support moves within groups");
  require(!conflicts || !remote, "remote workers do not support conflicts");
  require(!pulls || !remote, "remote workers do not support pulls");
  require(!pulls || !within, "moves within groups do not support pulls");
  const std::unique_ptr<RemoteGraphWorkers> workers = remote_workers_of(remote, graph);
  const GraphMoveOptions options{within ? within->data() : nullptr,
                                 keep_connected,
                                 exhaustive,
                                 negligible,
                                 n_threads,
                                 seed,
                                 workers.get(),
                                 first ? first->data() : nullptr,
                                 inertia,
                                 limits_of(limits),
                                 view_of(conflicts, labels.size()),
                                 view_of(pulls, labels.size(), n_labels)};
  const GraphMoveSummary summary = run(shared, [&](CancellationToken& token) {
    return local_moves(graph, nodes, view_of(labels), n_labels, view_of(j), options, token,
                       clusters_of(sums, n_labels));
  });
  return std::make_tuple(summary.before, summary.after, summary.moves, to_tuple(summary.clusters));
}

auto bound_group_moves(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                       const In<Label>& groups, const InOut<Label>& labels, const ObjectiveTuple& j,
                       double negligible, int n_threads, std::uint64_t seed, SharedToken* shared,
                       const std::optional<ConflictTuple>& conflicts,
                       const std::optional<ClusterTuple>& sums) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  const Label n_groups = static_cast<Label>(labels.size());
  check_labels(view_of(groups), graph.rows(), n_groups);
  check_labels(view_of(labels), n_groups, n_groups);
  GraphMoveOptions options;
  options.negligible = negligible;
  options.n_threads = n_threads;
  options.seed = seed;
  options.conflicts = view_of(conflicts, groups.size());
  const GraphMoveSummary summary = run(shared, [&](CancellationToken& token) {
    return group_moves(graph, nodes, view_of(groups), view_of(labels), view_of(j), options, token,
                       clusters_of(sums, n_groups));
  });
  return std::make_tuple(summary.before, summary.after, summary.moves, to_tuple(summary.clusters));
}

auto bound_margins(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                   const In<Label>& labels, Label n_labels, const ObjectiveTuple& j,
                   const SizeTuple& limits, const std::optional<PullTuple>& pulls, int n_threads,
                   SharedToken* shared, const std::optional<ClusterTuple>& sums) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  check_labels(view_of(labels), graph.rows(), n_labels);
  const Pulls homes = view_of(pulls, labels.size(), n_labels);
  std::vector<double> margin(graph.rows());
  run(shared, [&](CancellationToken& token) {
    margins(graph, nodes, view_of(labels), n_labels, view_of(j), limits_of(limits), homes, margin,
            n_threads, token, clusters_of(sums, n_labels));
    return 0;
  });
  return to_numpy(std::move(margin));
}

Label bound_coarsen(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                    const InOut<Label>& groups, const ObjectiveTuple& of_nodes,
                    const ObjectiveTuple& of_groups, double negligible, int n_threads,
                    std::uint64_t seed, SharedToken* shared,
                    const std::optional<nb::object>& remote,
                    const std::optional<ConflictTuple>& conflicts) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  const std::unique_ptr<RemoteGraphWorkers> workers = remote_workers_of(remote, graph);
  require(groups.size() == static_cast<std::size_t>(graph.rows()),
          "a group is needed for each node");
  require(!conflicts || !remote, "remote workers do not support conflicts");
  const Conflicts apart = view_of(conflicts, graph.rows());
  return run(shared, [&](CancellationToken& token) {
    return coarsen(graph, nodes, view_of(of_nodes), view_of(of_groups), negligible, n_threads, seed,
                   view_of(groups), token, workers.get(), apart);
  });
}

auto bound_cycle(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                 const InOut<Label>& labels, Label n_labels, const ObjectiveTuple& j,
                 double negligible, int n_threads, std::uint64_t seed, SharedToken* shared,
                 const std::optional<nb::object>& remote,
                 const std::optional<ConflictTuple>& conflicts) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  check_labels(view_of(labels), graph.rows(), n_labels);
  const std::unique_ptr<RemoteGraphWorkers> workers = remote_workers_of(remote, graph);
  GraphMoveOptions options;
  options.negligible = negligible;
  options.n_threads = n_threads;
  options.seed = seed;
  options.workers = workers.get();
  require(!conflicts || !remote, "remote workers do not support conflicts");
  options.conflicts = view_of(conflicts, graph.rows());
  const CycleSummary summary = run(shared, [&](CancellationToken& token) {
    return cycle(graph, nodes, view_of(labels), n_labels, view_of(j), options, token);
  });
  return std::make_tuple(summary.path, to_tuple(summary.clusters));
}

auto bound_divide(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                  const In<Label>& labels, Label n_labels, const In<bool>& divisible,
                  const ObjectiveTuple& j, int n_threads, std::uint64_t seed, SharedToken* shared) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  check_labels(view_of(labels), graph.rows(), n_labels);
  require(divisible.size() == static_cast<std::size_t>(n_labels),
          "divisible needs an element for each cluster");
  std::vector<Label> pieces(labels.size());
  const Label n_pieces = run(shared, [&](CancellationToken& token) {
    return divide(graph, nodes, view_of(labels), n_labels, view_of(divisible), view_of(j),
                  n_threads, seed, pieces, token);
  });
  return std::make_tuple(to_numpy(std::move(pieces)), n_pieces);
}

auto bound_lloyd_kernel(const GraphArrays& graph_arrays, const In<double>& diagonal,
                        const In<double>& weight, const InOut<Label>& labels, Label n_labels,
                        const PriorTuple& prior, int max_passes, SharedToken* shared) {
  const GraphView graph = view_of(graph_arrays);
  const std::size_t n = graph.rows();
  require(diagonal.size() == n && weight.size() == n,
          "diagonal and weight need an element for each node");
  check_labels(view_of(labels), n, n_labels);
  return run(shared, [&](CancellationToken& token) {
    return lloyd_kernel(graph, view_of(diagonal), view_of(weight), view_of(labels), n_labels,
                        view_of(prior), max_passes, token);
  });
}

}  // namespace

// A converted copy would take the place of labels that are to be changed.
void bind_graph_moves(nb::module_& m) {
  m.def("local_moves", &bound_local_moves, "graph"_a, "nodes"_a, "labels"_a.noconvert(),
        "n_labels"_a, "objective"_a, "within"_a.none(), "keep_connected"_a, "exhaustive"_a,
        "negligible"_a, "n_threads"_a, "seed"_a, "cancel"_a.none(), "workers"_a.none(),
        "first"_a.none(), "inertia"_a, "limits"_a.none(), "conflicts"_a.none(), "pulls"_a.none(),
        "sums"_a.none());
  m.def("group_moves", &bound_group_moves, "graph"_a, "nodes"_a, "groups"_a, "labels"_a.noconvert(),
        "objective"_a, "negligible"_a, "n_threads"_a, "seed"_a, "cancel"_a.none(),
        "conflicts"_a.none(), "sums"_a.none());
  m.def("margins", &bound_margins, "graph"_a, "nodes"_a, "labels"_a, "n_labels"_a, "objective"_a,
        "limits"_a.none(), "pulls"_a.none(), "n_threads"_a, "cancel"_a.none(), "sums"_a.none());
  m.def("coarsen", &bound_coarsen, "graph"_a, "nodes"_a, "groups"_a.noconvert(), "of_nodes"_a,
        "of_groups"_a, "negligible"_a, "n_threads"_a, "seed"_a, "cancel"_a.none(),
        "workers"_a.none(), "conflicts"_a.none());
  m.def("cycle", &bound_cycle, "graph"_a, "nodes"_a, "labels"_a.noconvert(), "n_labels"_a,
        "objective"_a, "negligible"_a, "n_threads"_a, "seed"_a, "cancel"_a.none(),
        "workers"_a.none(), "conflicts"_a.none());
  m.def("divide", &bound_divide, "graph"_a, "nodes"_a, "labels"_a, "n_labels"_a, "divisible"_a,
        "objective"_a, "n_threads"_a, "seed"_a, "cancel"_a.none());
  m.def("lloyd_kernel", &bound_lloyd_kernel, "graph"_a, "diagonal"_a, "weight"_a,
        "labels"_a.noconvert(), "n_labels"_a, "prior"_a, "max_passes"_a, "cancel"_a.none());
}

}  // namespace powercut
