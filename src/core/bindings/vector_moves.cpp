#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/cancellation.hpp"
#include "bindings/subjects.hpp"
#include "vectors/groups.hpp"
#include "vectors/lloyd.hpp"
#include "vectors/local_moves.hpp"
#include "vectors/margins.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace powercut {
namespace {

Squares squares_of(Covariance covariance) {
  if (covariance == Covariance::diagonal) return Squares::features;
  return covariance == Covariance::spherical ? Squares::total : Squares::matrix;
}

/// The members of clusters that are not among the points, once they are known to be complete.
const PointsView* checked(const PointsView& elsewhere, const PointsView& points, Label n_labels,
                          Squares squares) {
  require(elsewhere.n == n_labels && elsewhere.dimensions == points.dimensions,
          "elsewhere needs a row for each cluster, with as many numbers as a point has");
  require(elsewhere.weight != nullptr && elsewhere.count != nullptr,
          "elsewhere needs weights and counts");
  require(
      squares == Squares::none || (elsewhere.is_scattered() &&
                                   elsewhere.scatter_width == width_of(squares, points.dimensions)),
      "elsewhere needs the scatter of the score");
  return &elsewhere;
}

auto bound_kmeans_moves(const PointTuple& point_arrays, const InOut<Label>& labels, Label n_labels,
                        const PriorTuple& prior, double negligible, int n_threads,
                        std::uint64_t seed, SharedToken* shared,
                        const std::optional<PointTuple>& elsewhere, std::optional<In<bool>> visited,
                        double inertia, const std::optional<ConflictTuple>& conflicts) {
  PointsView points = view_of(point_arrays);
  const PointsView others = elsewhere ? view_of(*elsewhere) : PointsView{};
  if (elsewhere) points.elsewhere = checked(others, points, n_labels, Squares::none);
  check_labels(view_of(labels), points.n, n_labels);
  require(!visited || visited->size() == labels.size(), "visited needs an element for each point");
  const VectorMoveOptions options{negligible, n_threads,
                                  seed,       visited ? visited->data() : nullptr,
                                  inertia,    view_of(conflicts, labels.size())};
  const VectorMoveSummary summary = run(shared, [&](CancellationToken& token) {
    return kmeans_moves(points, view_of(labels), n_labels, view_of(prior), options, token);
  });
  return std::make_tuple(summary.gain, summary.moves, summary.n_labels);
}

auto bound_gaussian_moves(const PointTuple& point_arrays, const InOut<Label>& labels,
                          Label n_labels, const PriorTuple& prior, const GaussianTuple& gaussian,
                          double negligible, int n_threads, std::uint64_t seed, SharedToken* shared,
                          const std::optional<PointTuple>& elsewhere,
                          std::optional<In<bool>> visited, double inertia,
                          const std::optional<ConflictTuple>& conflicts) {
  PointsView points = view_of(point_arrays);
  const GaussianParameters parameters = view_of(gaussian, points);
  const PointsView others = elsewhere ? view_of(*elsewhere) : PointsView{};
  if (elsewhere) {
    points.elsewhere = checked(others, points, n_labels, squares_of(parameters.covariance));
  }
  check_labels(view_of(labels), points.n, n_labels);
  require(!visited || visited->size() == labels.size(), "visited needs an element for each point");
  const VectorMoveOptions options{negligible, n_threads,
                                  seed,       visited ? visited->data() : nullptr,
                                  inertia,    view_of(conflicts, labels.size())};
  const VectorMoveSummary summary = run(shared, [&](CancellationToken& token) {
    return gaussian_moves(points, view_of(labels), n_labels, view_of(prior), parameters, options,
                          token);
  });
  return std::make_tuple(summary.gain, summary.moves, summary.n_labels);
}

auto bound_gaussian_margins(const PointTuple& point_arrays, const In<Label>& labels, Label n_labels,
                            const PriorTuple& prior, const GaussianTuple& gaussian, int n_threads,
                            SharedToken* shared) {
  const PointsView points = view_of(point_arrays);
  const GaussianParameters parameters = view_of(gaussian, points);
  check_labels(view_of(labels), points.n, n_labels);
  std::vector<double> margin(points.n);
  run(shared, [&](CancellationToken& token) {
    gaussian_margins(points, view_of(labels), n_labels, view_of(prior), parameters, margin,
                     n_threads, token);
    return 0;
  });
  return to_numpy(std::move(margin));
}

auto bound_lloyd_points(const PointTuple& point_arrays, const InOut<Label>& labels, Label n_labels,
                        const PriorTuple& prior, int max_passes, SharedToken* shared) {
  const PointsView points = view_of(point_arrays);
  check_labels(view_of(labels), points.n, n_labels);
  return run(shared, [&](CancellationToken& token) {
    return lloyd_points(points, view_of(labels), n_labels, view_of(prior), max_passes, token);
  });
}

}  // namespace

// A converted copy would take the place of labels that are to be changed.
void bind_vector_moves(nb::module_& m) {
  m.def("kmeans_moves", &bound_kmeans_moves, "points"_a, "labels"_a.noconvert(), "n_labels"_a,
        "prior"_a, "negligible"_a, "n_threads"_a, "seed"_a, "cancel"_a.none(), "elsewhere"_a.none(),
        "visited"_a.none(), "inertia"_a, "conflicts"_a.none());
  m.def("gaussian_moves", &bound_gaussian_moves, "points"_a, "labels"_a.noconvert(), "n_labels"_a,
        "prior"_a, "gaussian"_a, "negligible"_a, "n_threads"_a, "seed"_a, "cancel"_a.none(),
        "elsewhere"_a.none(), "visited"_a.none(), "inertia"_a, "conflicts"_a.none());
  m.def("gaussian_margins", &bound_gaussian_margins, "points"_a, "labels"_a, "n_labels"_a,
        "prior"_a, "gaussian"_a, "n_threads"_a, "cancel"_a.none());
  m.def("lloyd_points", &bound_lloyd_points, "points"_a, "labels"_a.noconvert(), "n_labels"_a,
        "prior"_a, "max_passes"_a, "cancel"_a.none());
}

}  // namespace powercut
