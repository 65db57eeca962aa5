#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/cancellation.hpp"
#include "bindings/subjects.hpp"
#include "graphs/proposals.hpp"
#include "vectors/cluster_replicas.hpp"
#include "vectors/cluster_states.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace powercut {
namespace {

/// (label, size, changed, numbers) of some clusters of points.
using StateTuple = std::tuple<In<Label>, In<Count>, In<Count>, In<double>>;

auto bound_propose_moves(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                         const In<Label>& labels, const ClusterTuple& stats,
                         const ObjectiveTuple& j, const In<Node>& batch, std::size_t begin,
                         std::size_t end) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  const auto& [inside, volume, weight, count] = stats;
  check_labels(view_of(labels), graph.rows(), static_cast<Label>(count.size()));
  check_labels(view_of(batch), batch.size(), graph.rows());
  require(begin <= end && end <= batch.size(), "the range must lie inside the batch");
  Clusters clusters(count.size());
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    clusters[c] = {inside.data()[c], volume.data()[c], weight.data()[c], count.data()[c]};
  }
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

/// The worker's side: replicas of the clusters of the process that makes the moves.
class PointClusterReplicas {
 public:
  PointClusterReplicas(PointTuple arrays, const PriorTuple& prior,
                       const std::optional<GaussianTuple>& gaussian)
      : arrays_(std::move(arrays)), points_(view_of(arrays_)) {
    replicas_ =
        gaussian ? gaussian_replicas(points_, view_of(prior), view_of(*gaussian, points_), never_)
                 : kmeans_replicas(points_, view_of(prior), never_);
  }

  void set(const StateTuple& all) { replicas_->set(checked(all)); }
  void load(const StateTuple& changes) { replicas_->load(checked(changes)); }

  auto propose(const In<Node>& points, const In<Label>& labels, const In<Count>& seen,
               const In<double>& others) {
    const std::size_t n = points.size();
    require(seen.size() == n && others.size() == n, "arrays of points must be of the same length");
    check_labels(view_of(points), n, points_.n);
    check_labels(view_of(labels), n, replicas_->n_labels());
    std::vector<Label> targets(n);
    std::vector<double> costs = vector_of(others);
    {
      nb::gil_scoped_release released;
      replicas_->propose({view_of(points), view_of(labels), view_of(seen), costs, targets});
    }
    return std::make_tuple(to_numpy(std::move(targets)), to_numpy(std::move(costs)));
  }

 private:
  struct Never : CancellationToken {
    bool requested() override { return false; }
  };

  ClusterStates checked(const StateTuple& states) const {
    const auto& [label, size, changed, numbers] = states;
    const std::size_t n = label.size();
    require(
        size.size() == n && changed.size() == n && numbers.size() == n * replicas_->state_width(),
        "each cluster must have all its numbers");
    check_labels(view_of(label), n, std::numeric_limits<Label>::max());
    return {vector_of(label), vector_of(size), vector_of(changed), vector_of(numbers)};
  }

  PointTuple arrays_;
  PointsView points_;
  Never never_;
  std::unique_ptr<ClusterReplicas> replicas_;
};

}  // namespace

void bind_worker_side(nb::module_& m) {
  m.def("propose_moves", &bound_propose_moves, "graph"_a, "nodes"_a, "labels"_a, "stats"_a,
        "objective"_a, "batch"_a, "begin"_a, "end"_a);
  m.def("nodes_to_revisit", &bound_nodes_to_revisit, "graph"_a, "labels"_a, "batch_of"_a,
        "moved"_a);
  nb::class_<PointClusterReplicas>(m, "ClusterReplicas")
      .def(nb::init<PointTuple, const PriorTuple&, const std::optional<GaussianTuple>&>(),
           "points"_a, "prior"_a, "gaussian"_a.none())
      .def("set", &PointClusterReplicas::set, "clusters"_a)
      .def("load", &PointClusterReplicas::load, "clusters"_a)
      .def("propose", &PointClusterReplicas::propose, "points"_a, "labels"_a, "seen"_a, "others"_a);
}

}  // namespace powercut
