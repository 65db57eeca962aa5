#include "bindings/arrays.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "base/node_limit.hpp"

namespace powercut {
namespace {

/// Kernels read 32- and 64-bit integers without a copy.
bool is_wide(const AnyArray& array) {
  if (array.dtype() == nb::dtype<std::int64_t>()) return true;
  require(array.dtype() == nb::dtype<std::int32_t>(), "offsets and indices must be int32 or int64");
  return false;
}

GraphView::Stored stored_type(const std::optional<AnyArray>& weights) {
  if (!weights) return GraphView::Stored::none;
  if (weights->dtype() == nb::dtype<float>()) return GraphView::Stored::float32;
  require(weights->dtype() == nb::dtype<double>(), "weights must be float32 or float64");
  return GraphView::Stored::float64;
}

/// Where the codes are; the ends of the array are checked, as no kernel does.
GapCodes codes_of(const GapTuple& arrays, std::size_t n_offsets) {
  const auto& [codes, starts, wraps] = arrays;
  require(starts.size() == n_offsets, "gap codes need a start for each row, and an end");
  const GapCodes gaps{codes.data(), starts.data(), view_of(wraps)};
  const auto last = gaps.of(static_cast<Node>(n_offsets - 1)) - codes.data();
  require(static_cast<std::size_t>(last) + gap_padding <= codes.size(),
          "gap codes end before their last row and its padding");
  return gaps;
}

/// The length of a dimension, which may have more bits than a node number.
Node as_node(std::size_t length) {
  require(length <= static_cast<std::size_t>(most_nodes), too_many_nodes);
  return static_cast<Node>(length);
}

}  // namespace

void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

GraphView view_of(const GraphArrays& arrays) {
  const auto& [offsets, columns, weights] = arrays;
  const GraphView::Stored stored = stored_type(weights);
  const void* values = weights ? weights->data() : nullptr;
  if (!offsets) {
    require(weights && weights->ndim() == 2, "dense rows must be a matrix");
    return GraphView::dense(as_node(weights->shape(0)), as_node(weights->shape(1)), values, stored);
  }
  require(offsets->ndim() == 1 && offsets->shape(0) >= 1, "offsets need one dimension");
  const Node n = as_node(offsets->shape(0) - 1);
  if (const auto* const gaps = std::get_if<GapTuple>(&columns)) {
    const GraphView view = GraphView::gap_coded(n, offsets->data(), is_wide(*offsets),
                                                codes_of(*gaps, offsets->size()), values, stored);
    require(!weights || static_cast<Entry>(weights->size()) == view.size(),
            "as many weights as indices are needed");
    return view;
  }
  const auto* const indices = std::get_if<AnyArray>(&columns);
  require(indices != nullptr && indices->ndim() == 1,
          "compressed rows need offsets and indices in one dimension");
  require(!weights || weights->size() == indices->size(), "as many weights as indices are needed");
  return GraphView::compressed(n, offsets->data(), is_wide(*offsets), indices->data(),
                               is_wide(*indices), values, stored);
}

NodeArrays view_of(const NodeTuple& arrays, std::size_t n) {
  const auto& [volume, weight, count] = arrays;
  require(volume.size() == n && (!weight || weight->size() == n) && (!count || count->size() == n),
          "volume, weight and count need an element for each node");
  return {volume.data(), weight ? weight->data() : nullptr, count ? count->data() : nullptr};
}

Conflicts view_of(const ConflictTuple& arrays, std::size_t n) {
  const auto& [apart, offsets, others] = arrays;
  require(apart.size() == n && offsets.size() == n + 1,
          "conflicts need an element of apart and a row for each node");
  const std::span<const Entry> bounds = view_of(offsets);
  require(bounds.front() == 0 && bounds.back() == static_cast<Entry>(others.size()) &&
              std::ranges::is_sorted(bounds),
          "the offsets of conflicts must lead through all their nodes");
  check_labels(view_of(others), others.size(), as_node(n));
  return {apart.data(), offsets.data(), others.data()};
}

Conflicts view_of(const std::optional<ConflictTuple>& arrays, std::size_t n) {
  return arrays ? view_of(*arrays, n) : Conflicts{};
}

Pulls view_of(const std::optional<PullTuple>& arrays, std::size_t n, Label n_labels) {
  if (!arrays) return {};
  const auto& [offsets, homes, nats] = *arrays;
  require(offsets.size() == n + 1 && nats.size() == homes.size(),
          "pulls need a row for each node, and nats for each home");
  const std::span<const Entry> bounds = view_of(offsets);
  require(bounds.front() == 0 && bounds.back() == static_cast<Entry>(homes.size()) &&
              std::ranges::is_sorted(bounds),
          "the offsets of pulls must lead through all their homes");
  check_labels(view_of(homes), homes.size(), n_labels);
  require(std::ranges::all_of(view_of(nats), [](double s) { return s > 0 && std::isfinite(s); }),
          "the nats of pulls must be positive and finite");
  return {offsets.data(), homes.data(), nats.data()};
}

PointsView view_of(const PointTuple& arrays) {
  const auto& [values, weight, count, scatter] = arrays;
  require(values.ndim() == 2, "points must be a matrix");
  const bool single = values.dtype() == nb::dtype<float>();
  require(single || values.dtype() == nb::dtype<double>(), "points must be float32 or float64");
  const std::size_t n = values.shape(0);
  require((!weight || weight->size() == n) && (!count || count->size() == n) &&
              (!scatter || scatter->shape(0) <= n),
          "weight and count need an element for each point, and scatter has no more rows");
  return {as_node(n),
          as_node(values.shape(1)),
          values.data(),
          single,
          weight ? weight->data() : nullptr,
          count ? count->data() : nullptr,
          scatter ? scatter->data() : nullptr,
          scatter ? scatter->shape(1) : 0,
          scatter ? as_node(scatter->shape(0)) : 0};
}

GaussianParameters view_of(const GaussianTuple& gaussian, const PointsView& points) {
  const auto& [name, mean, kappa, shape, scale] = gaussian;
  const std::size_t d = points.dimensions;
  require(name == "diagonal" || name == "spherical" || name == "full",
          "covariance must be 'diagonal', 'spherical' or 'full'");
  const Covariance covariance = name == "diagonal"    ? Covariance::diagonal
                                : name == "spherical" ? Covariance::spherical
                                                      : Covariance::full;
  const std::size_t width = name == "diagonal" ? d : name == "spherical" ? 1 : d * d;
  require(mean.size() == d && scale.size() == width, "mean and scale must fit the features");
  require(points.scatter == nullptr || points.scatter_width == width,
          "the scatter of a point must have as many numbers as the scale");
  return {covariance, mean.data(), kappa, shape, scale.data()};
}

Objective view_of(const ObjectiveTuple& j) {
  const auto& [score, parameters, concentration, discount, tradeoff, alone] = j;
  return {score, parameters, concentration, discount, tradeoff, alone};
}

PriorParameters view_of(const PriorTuple& prior) {
  return {std::get<0>(prior), std::get<1>(prior), std::get<2>(prior)};
}

void check_labels(std::span<const Label> labels, std::size_t n, Label n_labels) {
  require(labels.size() == n, "a label is needed for each node");
  for (const Label c : labels) require(c >= 0 && c < n_labels, "labels must lie in [0, n_labels)");
}

std::tuple<Out<double>, Out<double>, Out<double>, Out<Count>> to_tuple(const Clusters& clusters) {
  const std::size_t n = clusters.size();
  std::vector<double> inside(n), volume(n), weight(n);
  std::vector<Count> count(n);
  for (std::size_t c = 0; c < n; ++c) {
    inside[c] = clusters[c].inside;
    volume[c] = clusters[c].volume;
    weight[c] = clusters[c].weight;
    count[c] = clusters[c].count;
  }
  return std::make_tuple(to_numpy(std::move(inside)), to_numpy(std::move(volume)),
                         to_numpy(std::move(weight)), to_numpy(std::move(count)));
}

Clusters clusters_of(const std::optional<ClusterTuple>& arrays, Label n_labels) {
  if (!arrays) return {};
  const auto& [inside, volume, weight, count] = *arrays;
  const std::size_t n = static_cast<std::size_t>(n_labels);
  require(inside.size() == n && volume.size() == n && weight.size() == n && count.size() == n,
          "sums need an element for each cluster");
  Clusters clusters(n);
  for (std::size_t c = 0; c < n; ++c) {
    clusters[c] = {inside.data()[c], volume.data()[c], weight.data()[c], count.data()[c]};
  }
  return clusters;
}

}  // namespace powercut
