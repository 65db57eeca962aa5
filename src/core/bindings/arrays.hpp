#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/objective.hpp"
#include "graphs/pulls.hpp"
#include "graphs/view.hpp"
#include "prior/increments.hpp"
#include "search/conflicts.hpp"
#include "vectors/gaussian.hpp"
#include "vectors/points.hpp"

/// Converts Python's arrays to views and back, and checks that no kernel can leave its arrays.
namespace powercut {

namespace nb = nanobind;

using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/// (codes, starts, wraps): indices in gap code; see `GapCodes`.
using GapTuple = std::tuple<In<std::uint8_t>, In<std::uint32_t>, In<Entry>>;
/// (offsets, indices, weights): compressed rows; weights None where all are 1.
/// (None, None, matrix): dense rows.
using GraphArrays =
    std::tuple<std::optional<AnyArray>, std::variant<std::monostate, AnyArray, GapTuple>,
               std::optional<AnyArray>>;
/// (volume, weight, count): weight None for the count, count None for ones.
using NodeTuple = std::tuple<In<double>, std::optional<In<double>>, std::optional<In<Count>>>;
/// (apart, offsets, others): which nodes must not share a cluster.
using ConflictTuple = std::tuple<In<std::uint8_t>, In<Entry>, In<Node>>;
/// (offsets, homes, nats): the clusters that attract each node.
using PullTuple = std::tuple<In<Entry>, In<Label>, In<double>>;
/// (score, parameters, concentration, discount, tradeoff)
using ObjectiveTuple = std::tuple<std::string, std::vector<double>, double, double, double, double>;
template <class T>
using InRows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
/// (values, weight, count, scatter): weight and count None for ones, scatter None for zeros; it may
/// have the first rows only, and is 0 for the others.
using PointTuple = std::tuple<AnyArray, std::optional<In<double>>, std::optional<In<Count>>,
                              std::optional<InRows<double>>>;
/// (covariance, mean, kappa, shape, scale): the prior of a Gaussian cluster.
using GaussianTuple = std::tuple<std::string, In<double>, double, double, In<double>>;
/// (inside, volume, weight, count) of each cluster.
using ClusterTuple = std::tuple<In<double>, In<double>, In<double>, In<Count>>;
/// (concentration, discount, tradeoff)
using PriorTuple = std::tuple<double, double, double>;

void require(bool holds, const char* message);

GraphView view_of(const GraphArrays& arrays);
NodeArrays view_of(const NodeTuple& arrays, std::size_t n);
Conflicts view_of(const ConflictTuple& arrays, std::size_t n);
/// No conflicts if there are no arrays.
Conflicts view_of(const std::optional<ConflictTuple>& arrays, std::size_t n);
/// No pulls if there are no arrays.
Pulls view_of(const std::optional<PullTuple>& arrays, std::size_t n, Label n_labels);
PointsView view_of(const PointTuple& arrays);
GaussianParameters view_of(const GaussianTuple& gaussian, const PointsView& points);
Objective view_of(const ObjectiveTuple& j);
PriorParameters view_of(const PriorTuple& prior);

template <class T>
std::span<const T> view_of(const In<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
std::span<T> view_of(const InOut<T>& array) {
  return {array.data(), array.size()};
}

/// Checks that no label leads a kernel outside its arrays.
void check_labels(std::span<const Label> labels, std::size_t n, Label n_labels);

template <class Vector>
auto to_numpy(Vector&& values) {
  auto* kept = new Vector(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Vector*>(p); });
  return Out<typename Vector::value_type>(kept->data(), {kept->size()}, owner);
}

template <class T>
std::vector<T> vector_of(const In<T>& array) {
  return {array.data(), array.data() + array.size()};
}

template <class T>
auto copied(std::span<const T> values) {
  return to_numpy(std::vector<T>(values.begin(), values.end()));
}

/// (inside, volume, weight, count) of each cluster.
std::tuple<Out<double>, Out<double>, Out<double>, Out<Count>> to_tuple(const Clusters& clusters);
/// The reverse, for n_labels clusters; none if there are no arrays.
Clusters clusters_of(const std::optional<ClusterTuple>& arrays, Label n_labels);

}  // namespace powercut
