#include <nanobind/nanobind.h>

#include <cstddef>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/cancellation.hpp"
#include "base/threads.hpp"
#include "bindings/arrays.hpp"
#include "bindings/cancellation.hpp"
#include "bindings/subjects.hpp"
#include "vectors/gaussian_costs.hpp"
#include "vectors/gaussian_prior.hpp"
#include "vectors/groups.hpp"
#include "vectors/halves.hpp"
#include "vectors/log_growth.hpp"
#include "vectors/nearest_means.hpp"
#include "vectors/nearest_points.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace powercut {
namespace {

Squares squares_of(const std::string& name) {
  if (name == "none") return Squares::none;
  if (name == "total") return Squares::total;
  if (name == "features") return Squares::features;
  require(name == "matrix", "squares must be 'none', 'total', 'features' or 'matrix'");
  return Squares::matrix;
}

auto bound_point_groups(const PointTuple& point_arrays, const In<Label>& labels, Label n_labels,
                        const std::string& squares_name, int n_threads) {
  const PointsView points = view_of(point_arrays);
  const Squares squares = squares_of(squares_name);
  check_labels(view_of(labels), points.n, n_labels);
  require(points.scatter == nullptr || squares == Squares::none ||
              points.scatter_width == width_of(squares, points.dimensions),
          "the scatter of a point must be of the form that is asked for");
  PointGroups groups = run(nullptr, [&](CancellationToken& token) {
    ThreadTeam team(threads_for_sums(points, n_threads));
    Ticker ticker(token);
    return point_groups(points, view_of(labels), n_labels, squares, team, ticker);
  });
  return std::make_tuple(to_numpy(std::move(groups.mean)), to_numpy(std::move(groups.weight)),
                         to_numpy(std::move(groups.count)), to_numpy(std::move(groups.scatter)));
}

auto bound_halve(const PointTuple& point_arrays, const In<Label>& labels, Label n_labels,
                 const In<double>& first_keys, const In<double>& second_keys, int steps,
                 int n_threads) {
  const PointsView points = view_of(point_arrays);
  check_labels(view_of(labels), points.n, n_labels);
  require(n_labels <= std::numeric_limits<Label>::max() / 2, "there are too many clusters");
  require(first_keys.size() == labels.size() && second_keys.size() == labels.size(),
          "two keys are needed for each point");
  return to_numpy(run(nullptr, [&](CancellationToken& token) {
    ThreadTeam team(threads_for_sums(points, n_threads));
    Ticker ticker(token);
    return halve(points, view_of(labels), n_labels, {view_of(first_keys), view_of(second_keys)},
                 steps, team, ticker);
  }));
}

auto bound_gaussian_costs(const PointTuple& cluster_arrays, const GaussianTuple& gaussian) {
  const PointsView clusters = view_of(cluster_arrays);
  const GaussianParameters prior = view_of(gaussian, clusters);
  require(clusters.n == 0 || clusters.is_scattered(), "clusters must have scatter");
  return to_numpy(run(
      nullptr, [&](CancellationToken& token) { return gaussian_costs(clusters, prior, token); }));
}

auto bound_log_growths(const InRows<double>& x, const InRows<double>& mean,
                       const InRows<double>& precision, const In<double>& factor) {
  const std::size_t n = x.shape(0), d = x.shape(1), k = factor.size();
  require(mean.shape(0) == k && precision.shape(0) == k, "a row is needed for each cluster");
  require(mean.shape(1) == d && precision.shape(1) == d,
          "rows of clusters must have as many numbers as a point has");
  std::vector<double> growth(n * k);
  run(nullptr, [&](CancellationToken& token) {
    Ticker ticker(token);
    log_growths({d, view_of(factor), mean.data(), precision.data()}, x.data(), n, growth.data(),
                ticker);
    return 0;
  });
  return to_numpy(std::move(growth));
}

auto bound_improve_prior(const PointTuple& cluster_arrays, const GaussianTuple& gaussian,
                         const In<double>& precision, const In<double>& floor, double weight,
                         double least_kappa, double largest) {
  const PointsView clusters = view_of(cluster_arrays);
  const GaussianParameters now = view_of(gaussian, clusters);
  const std::size_t width = std::get<4>(gaussian).size();
  require(clusters.n > 0 && clusters.dimensions > 0 && clusters.is_scattered(),
          "there must be a cluster, with its scatter");
  require(precision.size() == width && floor.size() == width,
          "precision and floor must have as many numbers as the scale");
  EstimatedPrior better = run(nullptr, [&](CancellationToken& token) {
    return improve_prior(clusters, now,
                         {weight, precision.data(), floor.data(), least_kappa, largest}, token);
  });
  return std::make_tuple(to_numpy(std::move(better.mean)), better.kappa, better.shape,
                         to_numpy(std::move(better.scale)), better.cost);
}

auto bound_nearest_means(const PointTuple& point_arrays, const In<double>& means,
                         const InOut<Label>& nearest, const InOut<double>& beyond, int n_threads,
                         SharedToken* shared) {
  const PointsView points = view_of(point_arrays);
  require(means.size() > 0 && means.size() % points.dimensions == 0,
          "means must be one or more rows of as many numbers as a point has");
  check_labels(view_of(nearest), points.n, static_cast<Label>(means.size() / points.dimensions));
  require(beyond.size() == static_cast<std::size_t>(points.n),
          "a distance is needed for each point");
  std::vector<double> squares(points.n);
  run(shared, [&](CancellationToken& token) {
    nearest_means(points, view_of(means), {view_of(nearest), view_of(beyond)}, squares, n_threads,
                  token);
    return 0;
  });
  return to_numpy(std::move(squares));
}

void bound_find_nearest_points(const PointTuple& point_arrays, const In<Label>& point_cells,
                               const PointTuple& query_arrays, const In<Label>& query_cells,
                               Label n_cells, const In<Node>& excluded, int k,
                               const InOut<Node>& nearest, const InOut<double>& squares,
                               int n_threads, SharedToken* shared) {
  const PointsView points = view_of(point_arrays), queries = view_of(query_arrays);
  require(points.dimensions > 0 && points.dimensions == queries.dimensions,
          "queries must have as many numbers as a point has, one or more");
  require(n_cells >= 1, "there must be a cell");
  check_labels(view_of(point_cells), points.n, n_cells);
  check_labels(view_of(query_cells), queries.n, n_cells);
  const std::size_t n = queries.n;
  require(excluded.size() == 0 || excluded.size() == n,
          "a point is needed for each query to exclude it");
  require(k >= 1 && nearest.size() == n * k && squares.size() == n * k,
          "each query needs k >= 1 nearest points and their squared distances");
  run(shared, [&](CancellationToken& token) {
    find_nearest_points(
        points, queries, {view_of(point_cells), view_of(query_cells), n_cells, view_of(excluded)},
        {static_cast<std::size_t>(k), view_of(nearest), view_of(squares)}, n_threads, token);
    return 0;
  });
}

}  // namespace

void bind_vectors(nb::module_& m) {
  m.def("point_groups", &bound_point_groups, "points"_a, "labels"_a, "n_labels"_a, "squares"_a,
        "n_threads"_a);
  m.def("halve", &bound_halve, "points"_a, "labels"_a, "n_labels"_a, "first_keys"_a,
        "second_keys"_a, "steps"_a, "n_threads"_a);
  m.def("gaussian_costs", &bound_gaussian_costs, "clusters"_a, "gaussian"_a);
  m.def("log_growths", &bound_log_growths, "x"_a, "mean"_a, "precision"_a, "factor"_a);
  m.def("improve_prior", &bound_improve_prior, "clusters"_a, "gaussian"_a, "precision"_a, "floor"_a,
        "weight"_a, "least_kappa"_a, "largest"_a);
  m.def("nearest_means", &bound_nearest_means, "points"_a, "means"_a, "nearest"_a.noconvert(),
        "beyond"_a.noconvert(), "n_threads"_a, "cancel"_a.none());
  m.def("find_nearest_points", &bound_find_nearest_points, "points"_a, "point_cells"_a, "queries"_a,
        "query_cells"_a, "n_cells"_a, "excluded"_a, "k"_a, "nearest"_a.noconvert(),
        "squares"_a.noconvert(), "n_threads"_a, "cancel"_a.none());
}

}  // namespace powercut
