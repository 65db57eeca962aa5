#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/large_pages.hpp"
#include "base/threads.hpp"
#include "bindings/arrays.hpp"
#include "bindings/cancellation.hpp"
#include "bindings/subjects.hpp"
#include "graphs/aggregation.hpp"
#include "graphs/beyond_poisson.hpp"
#include "graphs/clusters.hpp"
#include "graphs/components.hpp"
#include "graphs/lanczos.hpp"
#include "graphs/objective.hpp"
#include "graphs/row_keys.hpp"
#include "graphs/row_products.hpp"
#include "graphs/subgraph.hpp"
#include "graphs/symmetry.hpp"
#include "graphs/wedges.hpp"
#include "search/conflicts.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace powercut {
namespace {

auto bound_cluster_stats(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                         const In<Label>& labels, Label n_labels, int n_threads) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  check_labels(view_of(labels), graph.rows(), n_labels);
  return to_tuple(run(nullptr, [&](CancellationToken& token) {
    Ticker ticker(token);
    ThreadTeam team(n_threads);
    return cluster_stats(graph, nodes, view_of(labels), n_labels, team, ticker);
  }));
}

auto bound_inside_degrees(const GraphArrays& graph_arrays, const In<Label>& labels, bool squared,
                          int n_threads) {
  const GraphView graph = view_of(graph_arrays);
  require(labels.size() == static_cast<std::size_t>(graph.rows()),
          "a label is needed for each node");
  std::vector<double> degrees(graph.rows());
  run(nullptr, [&](CancellationToken& token) {
    Ticker ticker(token);
    ThreadTeam team(n_threads);
    inside_degrees(graph, view_of(labels), squared, degrees, team, ticker);
    return 0;
  });
  return to_numpy(std::move(degrees));
}

auto bound_row_products(const GraphArrays& graph_arrays, const In<double>& x, int n_threads,
                        SharedToken* shared) {
  const GraphView graph = view_of(graph_arrays);
  require(x.size() == static_cast<std::size_t>(graph.rows()), "a number is needed for each node");
  std::vector<double> product(x.size());
  run(shared, [&](CancellationToken& token) {
    Ticker ticker(token);
    ThreadTeam team(n_threads);
    row_products(graph, view_of(x), product, team, ticker);
    return 0;
  });
  return to_numpy(std::move(product));
}

auto bound_lanczos(const GraphArrays& graph_arrays, const In<double>& scale, double unit,
                   const In<float>& known, const In<float>& start, int n_steps, double shortest,
                   int n_threads, SharedToken* shared) {
  const GraphView graph = view_of(graph_arrays);
  for (const std::size_t size : {scale.size(), known.size(), start.size()}) {
    require(size == static_cast<std::size_t>(graph.rows()), "a number is needed for each node");
  }
  Tridiagonal found = run(shared, [&](CancellationToken& token) {
    Ticker ticker(token);
    ThreadTeam team(n_threads);
    return lanczos(graph, view_of(scale), unit, view_of(known), view_of(start), n_steps, shortest,
                   team, ticker);
  });
  return std::make_tuple(to_numpy(std::move(found.diagonal)), to_numpy(std::move(found.beside)));
}

double bound_beyond_poisson(const GraphArrays& graph_arrays, const In<double>& size,
                            const In<Label>& labels, const In<double>& density, double background,
                            int n_threads) {
  const GraphView graph = view_of(graph_arrays);
  require(size.size() == static_cast<std::size_t>(graph.rows()), "a size is needed for each node");
  check_labels(view_of(labels), graph.rows(), static_cast<Label>(density.size()));
  return run(nullptr, [&](CancellationToken& token) {
    Ticker ticker(token);
    ThreadTeam team(n_threads);
    return beyond_poisson(graph, view_of(size), view_of(labels), view_of(density), background, team,
                          ticker);
  });
}

auto bound_draw_wedges(const GraphArrays& graph_arrays, const In<Label>& labels,
                       const In<double>& strength, const In<double>& size,
                       const In<double>& density, Count draws, std::uint64_t seed) {
  const GraphView graph = view_of(graph_arrays);
  const std::size_t n = static_cast<std::size_t>(graph.rows());
  require(strength.size() == n && size.size() == n,
          "a strength and a size are needed for each node");
  check_labels(view_of(labels), n, static_cast<Label>(density.size()));
  const Wedges wedges = run(nullptr, [&](CancellationToken& token) {
    return draw_wedges(graph, view_of(labels), view_of(strength), view_of(size), view_of(density),
                       draws, seed, token);
  });
  return std::make_tuple(wedges.n, wedges.surplus);
}

auto bound_sample_triangles(const GraphArrays& graph_arrays, const In<Label>& labels,
                            Label n_labels, Count draws, std::uint64_t seed) {
  const GraphView graph = view_of(graph_arrays);
  check_labels(view_of(labels), graph.rows(), n_labels);
  const Triangles mean = run(nullptr, [&](CancellationToken& token) {
    return sample_triangles(graph, view_of(labels), draws, seed, token);
  });
  return std::make_tuple(mean.per_edge, mean.inverse, mean.inside, mean.across);
}

double bound_objective(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                       const In<Label>& labels, Label n_labels, const ObjectiveTuple& j) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  check_labels(view_of(labels), graph.rows(), n_labels);
  return run(nullptr, [&](CancellationToken& token) {
    Ticker ticker(token);
    ThreadTeam one_thread(1);
    return objective(view_of(j),
                     cluster_stats(graph, nodes, view_of(labels), n_labels, one_thread, ticker));
  });
}

auto bound_aggregate(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                     const In<Label>& labels, Label n_labels, int n_threads, SharedToken* shared) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  check_labels(view_of(labels), graph.rows(), n_labels);
  OwnedGraph coarse = run(shared, [&](CancellationToken& token) {
    return aggregate(graph, nodes, view_of(labels), n_labels, n_threads, token);
  });
  std::optional<Out<double>> weight;
  if (nodes.weight != nullptr) weight = to_numpy(std::move(coarse.weight));
  return std::make_tuple(
      std::make_tuple(to_numpy(std::move(coarse.offsets)), to_numpy(std::move(coarse.indices)),
                      to_numpy(std::move(coarse.weights))),
      std::make_tuple(to_numpy(std::move(coarse.volume)), weight,
                      to_numpy(std::move(coarse.count))));
}

auto bound_cluster_graph(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                         const In<Label>& labels, Label cluster, int n_threads,
                         SharedToken* shared) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  require(labels.size() == static_cast<std::size_t>(graph.rows()),
          "a label is needed for each node");
  require(std::ranges::count(view_of(labels), cluster) > 0, "the cluster has no members");
  OwnedGraph part = run(shared, [&](CancellationToken& token) {
    ThreadTeam team(n_threads);
    Ticker ticker(token);
    return cluster_graph(graph, nodes, view_of(labels), cluster, team, ticker);
  });
  std::optional<Out<double>> weights;
  if (graph.is_weighted()) weights = to_numpy(std::move(part.weights));
  return std::make_tuple(to_numpy(std::move(part.offsets)), to_numpy(std::move(part.indices)),
                         weights);
}

auto bound_join_nodes(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                      const In<Label>& labels, Label n_labels, SharedToken* shared) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  check_labels(view_of(labels), graph.rows(), n_labels);
  require(!graph.is_weighted(), "only the edges of an unweighted graph stay as they are");
  OwnedGraph joined = run(shared, [&](CancellationToken& token) {
    return join_nodes(graph, nodes, view_of(labels), n_labels, token);
  });
  std::optional<Out<double>> weight;
  if (nodes.weight != nullptr) weight = to_numpy(std::move(joined.weight));
  return std::make_tuple(std::make_tuple(to_numpy(std::move(joined.offsets)),
                                         to_numpy(std::move(joined.indices)), nb::none()),
                         std::make_tuple(to_numpy(std::move(joined.volume)), weight,
                                         to_numpy(std::move(joined.count))));
}

auto bound_aggregate_conflicts(const ConflictTuple& arrays, const In<Label>& labels,
                               Label n_labels) {
  const Conflicts conflicts = view_of(arrays, labels.size());
  check_labels(view_of(labels), labels.size(), n_labels);
  OwnedConflicts coarse = run(
      nullptr, [&](CancellationToken&) { return aggregate(conflicts, view_of(labels), n_labels); });
  return std::make_tuple(to_numpy(std::move(coarse.apart)), to_numpy(std::move(coarse.offsets)),
                         to_numpy(std::move(coarse.others)));
}

auto bound_split_components(const GraphArrays& graph_arrays, const In<Label>& labels, int n_threads,
                            SharedToken* shared, const std::optional<In<bool>>& may_split) {
  const GraphView graph = view_of(graph_arrays);
  const std::span<const bool> clusters = may_split ? view_of(*may_split) : std::span<const bool>();
  const Label most = std::min(graph.rows(), std::numeric_limits<Label>::max() - 1) + 1;
  check_labels(view_of(labels), static_cast<std::size_t>(graph.rows()),
               may_split ? static_cast<Label>(clusters.size()) : most);
  std::vector<Label> pieces(labels.size());
  const Label n_pieces = run(shared, [&](CancellationToken& token) {
    ThreadTeam team(n_threads);
    return split_components(graph, view_of(labels), pieces, team, token, clusters);
  });
  return std::make_tuple(to_numpy(std::move(pieces)), n_pieces);
}

auto bound_find_separated(const GraphArrays& graph_arrays, const In<Label>& labels,
                          const In<Node>& from, const In<Node>& to, Entry most_entries,
                          SharedToken* shared) {
  const GraphView graph = view_of(graph_arrays);
  require(labels.size() == static_cast<std::size_t>(graph.rows()),
          "a label is needed for each node");
  require(from.size() == to.size(), "a pair has two nodes");
  check_labels(view_of(from), from.size(), graph.rows());
  check_labels(view_of(to), to.size(), graph.rows());
  LargeVector<std::uint8_t> separated(from.size());
  run(shared, [&](CancellationToken& token) {
    find_separated(graph, view_of(labels), view_of(from), view_of(to), most_entries, separated,
                   token);
    return 0;
  });
  return to_numpy(std::move(separated));
}

std::optional<std::tuple<Node, Node>> as_tuple(const std::optional<Position>& position) {
  if (!position) return std::nullopt;
  return std::make_tuple(position->row, position->column);
}

auto bound_first_asymmetry(const GraphArrays& graph, double tolerance) {
  return as_tuple(run(nullptr, [view = view_of(graph), tolerance](CancellationToken& token) {
    return first_asymmetry(view, tolerance, token);
  }));
}

auto bound_row_keys(const GraphArrays& arrays) {
  const GraphView rows = view_of(arrays);
  std::vector<std::uint64_t> keys(rows.rows());
  run(nullptr, [&](CancellationToken& token) {
    row_keys(rows, keys, token);
    return 0;
  });
  return to_numpy(std::move(keys));
}

}  // namespace

void bind_graphs(nb::module_& m) {
  m.def("cluster_stats", &bound_cluster_stats, "graph"_a, "nodes"_a, "labels"_a, "n_labels"_a,
        "n_threads"_a);
  m.def("inside_degrees", &bound_inside_degrees, "graph"_a, "labels"_a, "squared"_a, "n_threads"_a);
  m.def("row_products", &bound_row_products, "graph"_a, "x"_a, "n_threads"_a, "cancel"_a.none());
  m.def("lanczos", &bound_lanczos, "graph"_a, "scale"_a, "unit"_a, "known"_a, "start"_a,
        "n_steps"_a, "shortest"_a, "n_threads"_a, "cancel"_a.none());
  m.def("draw_wedges", &bound_draw_wedges, "graph"_a, "labels"_a, "strength"_a, "size"_a,
        "density"_a, "draws"_a, "seed"_a);
  m.def("sample_triangles", &bound_sample_triangles, "graph"_a, "labels"_a, "n_labels"_a, "draws"_a,
        "seed"_a);
  m.def("beyond_poisson", &bound_beyond_poisson, "graph"_a, "size"_a, "labels"_a, "density"_a,
        "background"_a, "n_threads"_a);
  m.def("objective", &bound_objective, "graph"_a, "nodes"_a, "labels"_a, "n_labels"_a,
        "objective"_a);
  m.def("aggregate", &bound_aggregate, "graph"_a, "nodes"_a, "labels"_a, "n_labels"_a,
        "n_threads"_a, "cancel"_a.none());
  m.def("cluster_graph", &bound_cluster_graph, "graph"_a, "nodes"_a, "labels"_a, "cluster"_a,
        "n_threads"_a, "cancel"_a.none());
  m.def("join_nodes", &bound_join_nodes, "graph"_a, "nodes"_a, "labels"_a, "n_labels"_a,
        "cancel"_a.none());
  m.def("aggregate_conflicts", &bound_aggregate_conflicts, "conflicts"_a, "labels"_a, "n_labels"_a);
  m.def("split_components", &bound_split_components, "graph"_a, "labels"_a, "n_threads"_a,
        "cancel"_a.none(), "may_split"_a = nb::none());
  m.def("find_separated", &bound_find_separated, "graph"_a, "labels"_a, "from_"_a, "to"_a,
        "most_entries"_a, "cancel"_a.none());
  m.def("first_asymmetry", &bound_first_asymmetry, "graph"_a, "tolerance"_a);
  m.def("row_keys", &bound_row_keys, "rows"_a);
}

}  // namespace powercut
