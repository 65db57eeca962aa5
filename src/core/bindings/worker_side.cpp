#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "bindings/arrays.hpp"
#include "bindings/cancellation.hpp"
#include "bindings/subjects.hpp"
#include "graphs/proposals.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace powercut {
namespace {

auto bound_propose_moves(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                         const In<Label>& labels, const ClusterTuple& stats,
                         const ObjectiveTuple& j, const In<Node>& batch, std::size_t begin,
                         std::size_t end) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  const Label n_labels = static_cast<Label>(std::get<0>(stats).size());
  check_labels(view_of(labels), graph.rows(), n_labels);
  check_labels(view_of(batch), batch.size(), graph.rows());
  require(begin <= end && end <= batch.size(), "the range must lie inside the batch");
  Clusters clusters = clusters_of(stats, n_labels);
  Proposals found = run(nullptr, [&](CancellationToken& token) {
    return propose_moves(graph, nodes, view_of(labels), std::move(clusters), view_of(j),
                         view_of(batch), begin, end, token);
  });
  return std::make_tuple(to_numpy(std::move(found.place)), to_numpy(std::move(found.target)),
                         to_numpy(std::move(found.own_link)),
                         to_numpy(std::move(found.target_link)), to_numpy(std::move(found.loops)),
                         to_numpy(std::move(found.rivals)), to_numpy(std::move(found.n_rivals)));
}

auto bound_nodes_to_revisit(const GraphArrays& graph_arrays, const In<Label>& labels,
                            const In<std::uint16_t>& batch_of, const In<Node>& moved) {
  const GraphView graph = view_of(graph_arrays);
  const std::size_t n = static_cast<std::size_t>(graph.rows());
  require(labels.size() == n && batch_of.size() == n,
          "a label and a batch are needed for each node");
  check_labels(view_of(moved), moved.size(), graph.rows());
  return to_numpy(run(nullptr, [&](CancellationToken& token) {
    return nodes_to_revisit(graph, view_of(labels), view_of(batch_of), view_of(moved), token);
  }));
}

}  // namespace

void bind_worker_side(nb::module_& m) {
  m.def("propose_moves", &bound_propose_moves, "graph"_a, "nodes"_a, "labels"_a, "stats"_a,
        "objective"_a, "batch"_a, "begin"_a, "end"_a);
  m.def("nodes_to_revisit", &bound_nodes_to_revisit, "graph"_a, "labels"_a, "batch_of"_a,
        "moved"_a);
}

}  // namespace powercut
