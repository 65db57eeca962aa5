// The one file that knows Python: it turns arrays into views, lets go of the GIL
// while kernels run, and turns what they return into arrays.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "aggregate.hpp"
#include "cancel.hpp"
#include "checks.hpp"
#include "clusters.hpp"
#include "components.hpp"
#include "divide.hpp"
#include "edge_list.hpp"
#include "edge_rates.hpp"
#include "edge_text.hpp"
#include "graph_moves.hpp"
#include "graph_view.hpp"
#include "hierarchy.hpp"
#include "lloyd.hpp"
#include "metis_text.hpp"
#include "log_gamma.hpp"
#include "nearest_means.hpp"
#include "partition_sampling.hpp"
#include "point_groups.hpp"
#include "points.hpp"
#include "row_keys.hpp"
#include "symmetric_rows.hpp"
#include "text.hpp"
#include "vector_moves.hpp"
#include "wedges.hpp"
#include "wishes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace powercut {
namespace {

using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/// (offsets, indices, weights): compressed rows; weights None where all are 1.
/// (None, None, matrix): dense rows.
using GraphArrays = std::tuple<std::optional<AnyArray>, std::optional<AnyArray>, std::optional<AnyArray>>;
/// (volume, weight, count): weight None for the count, count None for ones.
using NodeTuple = std::tuple<In<double>, std::optional<In<double>>, std::optional<In<Count>>>;
/// (score, parameters, concentration, discount, tradeoff)
using ObjectiveTuple = std::tuple<std::string, std::vector<double>, double, double, double>;
template <class T>
using InRows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
/// (values, weight, count, scatter): weight and count None for ones, scatter None for zeros.
using PointTuple = std::tuple<AnyArray, std::optional<In<double>>, std::optional<In<Count>>,
                              std::optional<InRows<double>>>;
/// (covariance, mean, kappa, shape, scale): what is expected of a Gaussian cluster.
using GaussianTuple = std::tuple<std::string, In<double>, double, double, In<double>>;
/// (inside, volume, weight, count) of each cluster.
using ClusterTuple = std::tuple<In<double>, In<double>, In<double>, In<Count>>;
/// (place, target, own_link, target_link, loops, rivals, n_rivals) of each wish.
using WishTuple =
    std::tuple<In<Node>, In<Label>, In<double>, In<double>, In<double>, In<Node>, In<Node>>;
/// (label, size, changed, numbers) of some clusters of points.
using StateTuple = std::tuple<In<Label>, In<Count>, In<Count>, In<double>>;
/// (concentration, discount, tradeoff)
using PriorTuple = std::tuple<double, double, double>;

void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

/// One array of several element types, by which the kernels choose.
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

GraphView view_of(const GraphArrays& arrays) {
  const auto& [offsets, indices, weights] = arrays;
  const GraphView::Stored stored = stored_type(weights);
  const void* values = weights ? weights->data() : nullptr;
  if (!offsets) {
    require(weights && weights->ndim() == 2, "dense rows must be a matrix");
    return GraphView::dense(static_cast<Node>(weights->shape(0)),
                            static_cast<Node>(weights->shape(1)), values, stored);
  }
  require(indices && offsets->ndim() == 1 && offsets->shape(0) >= 1 && indices->ndim() == 1,
          "compressed rows need offsets and indices in one dimension");
  require(!weights || weights->size() == indices->size(), "as many weights as indices are needed");
  return GraphView::compressed(static_cast<Node>(offsets->shape(0) - 1), offsets->data(),
                               is_wide(*offsets), indices->data(), is_wide(*indices), values, stored);
}

NodeArrays view_of(const NodeTuple& arrays, std::size_t n) {
  const auto& [volume, weight, count] = arrays;
  require(volume.size() == n && (!weight || weight->size() == n) && (!count || count->size() == n),
          "volume, weight and count need an element for each node");
  return {volume.data(), weight ? weight->data() : nullptr, count ? count->data() : nullptr};
}

PointsView view_of(const PointTuple& arrays) {
  const auto& [values, weight, count, scatter] = arrays;
  require(values.ndim() == 2, "points must be a matrix");
  const bool single = values.dtype() == nb::dtype<float>();
  require(single || values.dtype() == nb::dtype<double>(), "points must be float32 or float64");
  const std::size_t n = values.shape(0);
  require((!weight || weight->size() == n) && (!count || count->size() == n) &&
              (!scatter || scatter->shape(0) == n),
          "weight, count and scatter need an element for each point");
  return {static_cast<Node>(n),
          static_cast<Node>(values.shape(1)),
          values.data(),
          single,
          weight ? weight->data() : nullptr,
          count ? count->data() : nullptr,
          scatter ? scatter->data() : nullptr,
          scatter ? scatter->shape(1) : 0};
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
  const auto& [score, parameters, concentration, discount, tradeoff] = j;
  return {score, parameters, concentration, discount, tradeoff};
}

PriorParameters view_of(const PriorTuple& prior) {
  return {std::get<0>(prior), std::get<1>(prior), std::get<2>(prior)};
}

template <class T>
std::span<const T> view_of(const In<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
std::span<T> view_of(const InOut<T>& array) {
  return {array.data(), array.size()};
}

/// A kernel must never be led outside its arrays by a label.
void check_labels(std::span<const Label> labels, std::size_t n, Label n_labels) {
  require(labels.size() == n, "a label is needed for each node");
  for (const Label c : labels) require(c >= 0 && c < n_labels, "labels must lie in [0, n_labels)");
}

template <class Vector>
auto to_numpy(Vector&& values) {
  auto* kept = new Vector(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Vector*>(p); });
  return Out<typename Vector::value_type>(kept->data(), {kept->size()}, owner);
}

/// A wish to stop that any thread may set, for work that runs in another. Work that was
/// cancelled is given up; work that expired, at once or at its time, ends with what it has.
///
/// A thread may have a function called while kernels that it has called are running, and ask
/// where the work is: what a kernel said last, in whatever thread it runs.
class CancelFlag {
 public:
  void set() { set_.store(true, std::memory_order_relaxed); }
  bool is_set() const { return set_.load(std::memory_order_relaxed); }

  void expire_in(double seconds) {
    const auto now = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
    expires_.store(now + seconds, std::memory_order_relaxed);
  }
  bool expired() const {
    const double time = expires_.load(std::memory_order_relaxed);
    return time < never &&
           std::chrono::duration<double>(Clock::now().time_since_epoch()).count() >= time;
  }

  void listen(std::optional<nb::object> callback) {
    callback_ = std::move(callback);
    thread_ = PyThread_get_thread_ident();
    listens_.store(callback_.has_value(), std::memory_order_relaxed);
  }
  bool listens() const { return listens_.load(std::memory_order_relaxed); }
  bool calls_this_thread() const { return listens() && thread_ == PyThread_get_thread_ident(); }
  void call_back() const { (*callback_)(); }

  /// The last J that is known stays.
  void hear(Round round) {
    const std::scoped_lock lock(hearing_);
    if (std::isnan(round.objective)) round.objective = round_.objective;
    round_ = round;
  }
  void reached(double objective) {
    const std::scoped_lock lock(hearing_);
    round_.objective = objective;
  }
  auto round() {
    const std::scoped_lock lock(hearing_);
    return std::make_tuple(round_.size, round_.round, round_.moves, round_.objective);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double never = std::numeric_limits<double>::infinity();
  std::atomic<bool> set_{false};
  std::atomic<double> expires_{never};
  std::optional<nb::object> callback_;
  unsigned long thread_ = 0;
  std::atomic<bool> listens_{false};
  std::mutex hearing_;
  Round round_{.objective = std::numeric_limits<double>::quiet_NaN()};
};

/// Ends a kernel when its flag is set, or when a signal handler of Python or the function that
/// listens raises. Python runs signal handlers on the main thread alone, so only there is it
/// asked, and both only so often that nobody notices.
class PythonCancel : public Cancel {
 public:
  explicit PythonCancel(CancelFlag* flag)
      : flag_(flag), calls_(flag != nullptr && flag->calls_this_thread()) {
    nb::object main = nb::module_::import_("threading").attr("main_thread")();
    on_main_thread_ = nb::cast<unsigned long>(main.attr("ident")) == PyThread_get_thread_ident();
    if (calls_) flag_->call_back();  // a short kernel may not come to it again
  }

  bool requested() override {
    if (flag_ != nullptr && (flag_->is_set() || flag_->expired())) return true;
    if (!on_main_thread_ && !calls_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < std::chrono::milliseconds(20)) return false;
    asked_ = now;
    nb::gil_scoped_acquire gil;
    raised_ = (on_main_thread_ && PyErr_CheckSignals() != 0) || (calls_ && callback_raises());
    return raised_;
  }

  bool listens() override {
    if (flag_ == nullptr || !flag_->listens()) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - heard_ < std::chrono::milliseconds(100)) return false;
    heard_ = now;
    return true;
  }

  void hear(const Round& round) override {
    if (flag_ != nullptr && flag_->listens()) flag_->hear(round);
  }

  bool raised() const { return raised_; }

 private:
  bool callback_raises() const {
    try {
      flag_->call_back();
      return false;
    } catch (nb::python_error& error) {
      error.restore();
      return true;
    }
  }

  CancelFlag* flag_;
  bool calls_;
  bool on_main_thread_ = false;
  bool raised_ = false;
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point heard_{};
};

/// Runs a kernel without the GIL. An exception of Python's that ended it goes on as it is; a
/// flag that was set becomes powercut._core.Cancelled.
template <class Kernel>
auto run(CancelFlag* flag, Kernel&& kernel) {
  PythonCancel cancel(flag);
  try {
    nb::gil_scoped_release no_gil;
    return kernel(cancel);
  } catch (const Cancelled&) {
    if (cancel.raised()) throw nb::python_error();
    throw;
  }
}

/// (inside, volume, weight, count) of each cluster.
auto to_tuple(const Clusters& clusters) {
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

auto bound_cluster_stats(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                         const In<Label>& labels, Label n_labels, int n_threads) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  check_labels(view_of(labels), graph.rows(), n_labels);
  return to_tuple(run(nullptr, [&](Cancel& cancel) {
    Ticker ticker(cancel);
    Team team(n_threads);
    return cluster_stats(graph, nodes, view_of(labels), n_labels, team, ticker);
  }));
}

auto bound_inside_degrees(const GraphArrays& graph_arrays, const In<Label>& labels, bool squared,
                          int n_threads) {
  const GraphView graph = view_of(graph_arrays);
  require(labels.size() == static_cast<std::size_t>(graph.rows()), "a label is needed for each node");
  std::vector<double> degrees(graph.rows());
  run(nullptr, [&](Cancel& cancel) {
    Ticker ticker(cancel);
    Team team(n_threads);
    inside_degrees(graph, view_of(labels), squared, degrees, team, ticker);
    return 0;
  });
  return to_numpy(std::move(degrees));
}

double bound_beyond_poisson(const GraphArrays& graph_arrays, const In<double>& size,
                            const In<Label>& labels, const In<double>& density, double background,
                            int n_threads) {
  const GraphView graph = view_of(graph_arrays);
  require(size.size() == static_cast<std::size_t>(graph.rows()), "a size is needed for each node");
  check_labels(view_of(labels), graph.rows(), static_cast<Label>(density.size()));
  return run(nullptr, [&](Cancel& cancel) {
    Ticker ticker(cancel);
    Team team(n_threads);
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
  const Wedges wedges = run(nullptr, [&](Cancel& cancel) {
    return draw_wedges(graph, view_of(labels), view_of(strength), view_of(size), view_of(density),
                       draws, seed, cancel);
  });
  return std::make_tuple(wedges.n, wedges.surplus);
}

double bound_objective(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                       const In<Label>& labels, Label n_labels, const ObjectiveTuple& j) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  check_labels(view_of(labels), graph.rows(), n_labels);
  return run(nullptr, [&](Cancel& cancel) {
    Ticker ticker(cancel);
    Team alone(1);
    return objective(view_of(j),
                     cluster_stats(graph, nodes, view_of(labels), n_labels, alone, ticker));
  });
}

template <class T>
std::vector<T> vector_of(const In<T>& array) {
  return {array.data(), array.data() + array.size()};
}

template <class T>
auto copied(std::span<const T> values) {
  return to_numpy(std::vector<T>(values.begin(), values.end()));
}

/// (nodes that moved, their labels, clusters that changed, their sums)
auto to_tuple(const Changes& changes) {
  std::vector<Label> labels;
  for (const Node node : changes.moved) labels.push_back(changes.labels[node]);
  std::vector<Label> clusters(changes.clusters.begin(), changes.clusters.end());
  std::ranges::sort(clusters);
  const auto repeats = std::ranges::unique(clusters);
  clusters.erase(repeats.begin(), repeats.end());
  Clusters stats;
  for (const Label c : clusters) stats.push_back(changes.stats[c]);
  return std::make_tuple(copied(changes.moved), to_numpy(std::move(labels)),
                         to_numpy(std::move(clusters)), to_tuple(stats));
}

/// An object of Python's that has rows looked at, in whatever process they are.
class PythonElsewhere : public Elsewhere {
 public:
  PythonElsewhere(nb::object engine, Node n_nodes)
      : engine_(std::move(engine)),
        n_nodes_(n_nodes),
        least_entries_(nb::cast<Count>(engine_.attr("least_entries"))) {}

  Count least_entries() const override { return least_entries_; }

  void begin(std::span<const Label> labels, const Clusters& stats) override {
    nb::gil_scoped_acquire gil;
    engine_.attr("begin")(copied(labels), to_tuple(stats));
  }

  Wishes wishes(std::uint16_t number, std::span<const Node> block, const Changes& changes) override {
    nb::gil_scoped_acquire gil;
    const nb::object answer = engine_.attr("wishes")(number, copied(block), to_tuple(changes));
    const auto [place, target, own_link, target_link, loops, rivals, n_rivals] =
        nb::cast<WishTuple>(answer);
    const std::size_t n = place.size();
    const Label n_labels = static_cast<Label>(changes.stats.size());
    require(target.size() == n && own_link.size() == n && target_link.size() == n &&
                loops.size() == n && n_rivals.size() == n,
            "arrays of wishes must be of the same length");
    check_labels(view_of(place), n, static_cast<Label>(block.size()));
    check_labels(view_of(rivals), rivals.size(), n_nodes_);
    std::size_t all_rivals = 0;
    for (std::size_t w = 0; w < n; ++w) {
      require(target.data()[w] >= new_cluster && target.data()[w] < n_labels &&
                  n_rivals.data()[w] >= 0,
              "wishes must lead to a cluster");
      all_rivals += static_cast<std::size_t>(n_rivals.data()[w]);
    }
    require(all_rivals == rivals.size(), "each wish must have its rivals");
    return {vector_of(place), vector_of(target), vector_of(own_link), vector_of(target_link),
            vector_of(loops), vector_of(rivals), vector_of(n_rivals)};
  }

  std::vector<Node> called(std::span<const Node> moved, const Changes& changes) override {
    nb::gil_scoped_acquire gil;
    const In<Node> nodes = nb::cast<In<Node>>(engine_.attr("called")(copied(moved), to_tuple(changes)));
    check_labels(view_of(nodes), nodes.size(), n_nodes_);
    return vector_of(nodes);
  }

 private:
  nb::object engine_;
  Node n_nodes_;
  Count least_entries_;
};

/// Who looks at rows, if it is not the threads here.
std::optional<PythonElsewhere> elsewhere_of(const std::optional<nb::object>& engine,
                                            const GraphView& graph) {
  if (!engine) return std::nullopt;
  return PythonElsewhere(*engine, graph.rows());
}

auto bound_local_moves(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                       const InOut<Label>& labels, Label n_labels, const ObjectiveTuple& j,
                       std::optional<In<Label>> within, bool keep_connected, bool exhaustive,
                       double negligible, int n_threads, std::uint64_t seed,
                       CancelFlag* flag, const std::optional<nb::object>& engine) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  check_labels(view_of(labels), graph.rows(), n_labels);
  require(!within || within->size() == labels.size(), "a group is needed for each node");
  require(!within || !engine, "rows that are elsewhere are not looked at within groups");
  std::optional<PythonElsewhere> elsewhere = elsewhere_of(engine, graph);
  const MoveOptions options{within ? within->data() : nullptr,
                            keep_connected,
                            exhaustive,
                            negligible,
                            n_threads,
                            seed,
                            elsewhere ? &*elsewhere : nullptr};
  const MoveSummary summary = run(flag, [&](Cancel& cancel) {
    return local_moves(graph, nodes, view_of(labels), n_labels, view_of(j), options, cancel);
  });
  return std::make_tuple(summary.before, summary.after, summary.moves, to_tuple(summary.clusters));
}

auto bound_group_moves(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                       const In<Label>& groups, const InOut<Label>& labels,
                       const ObjectiveTuple& j, double negligible, int n_threads,
                       std::uint64_t seed, CancelFlag* flag) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  const Label n_groups = static_cast<Label>(labels.size());
  check_labels(view_of(groups), graph.rows(), n_groups);
  check_labels(view_of(labels), n_groups, n_groups);
  MoveOptions options;
  options.negligible = negligible;
  options.n_threads = n_threads;
  options.seed = seed;
  const MoveSummary summary = run(flag, [&](Cancel& cancel) {
    return group_moves(graph, nodes, view_of(groups), view_of(labels), view_of(j), options, cancel);
  });
  return std::make_tuple(summary.before, summary.after, summary.moves, to_tuple(summary.clusters));
}

auto bound_wishes(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                  const In<Label>& labels, const ClusterTuple& stats, const ObjectiveTuple& j,
                  const In<Node>& block, std::size_t begin, std::size_t end) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  const auto& [inside, volume, weight, count] = stats;
  check_labels(view_of(labels), graph.rows(), static_cast<Label>(count.size()));
  check_labels(view_of(block), block.size(), graph.rows());
  require(begin <= end && end <= block.size(), "the part must lie inside the block");
  Clusters clusters(count.size());
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    clusters[c] = {inside.data()[c], volume.data()[c], weight.data()[c], count.data()[c]};
  }
  Wishes found = run(nullptr, [&](Cancel& cancel) {
    return wishes(graph, nodes, view_of(labels), std::move(clusters), view_of(j), view_of(block),
                  begin, end, cancel);
  });
  return std::make_tuple(to_numpy(std::move(found.place)), to_numpy(std::move(found.target)),
                         to_numpy(std::move(found.own_link)), to_numpy(std::move(found.target_link)),
                         to_numpy(std::move(found.loops)), to_numpy(std::move(found.rivals)),
                         to_numpy(std::move(found.n_rivals)));
}

auto bound_called(const GraphArrays& graph_arrays, const In<Label>& labels,
                  const In<std::uint16_t>& block_of, const In<Node>& moved) {
  const GraphView graph = view_of(graph_arrays);
  const std::size_t n = static_cast<std::size_t>(graph.rows());
  require(labels.size() == n && block_of.size() == n, "a label and a block are needed for each node");
  check_labels(view_of(moved), moved.size(), graph.rows());
  return to_numpy(run(nullptr, [&](Cancel& cancel) {
    return called(graph, view_of(labels), view_of(block_of), view_of(moved), cancel);
  }));
}

auto bound_margins(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                   const In<Label>& labels, Label n_labels, const ObjectiveTuple& j, int n_threads,
                   CancelFlag* flag) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  check_labels(view_of(labels), graph.rows(), n_labels);
  std::vector<double> margin(graph.rows());
  run(flag, [&](Cancel& cancel) {
    margins(graph, nodes, view_of(labels), n_labels, view_of(j), margin, n_threads, cancel);
    return 0;
  });
  return to_numpy(std::move(margin));
}

auto bound_aggregate(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                     const In<Label>& labels, Label n_labels, int n_threads,
                     CancelFlag* flag) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  check_labels(view_of(labels), graph.rows(), n_labels);
  OwnedGraph coarse = run(flag, [&](Cancel& cancel) {
    return aggregate(graph, nodes, view_of(labels), n_labels, n_threads, cancel);
  });
  std::optional<Out<double>> weight;
  if (nodes.weight != nullptr) weight = to_numpy(std::move(coarse.weight));
  return std::make_tuple(
      std::make_tuple(to_numpy(std::move(coarse.offsets)), to_numpy(std::move(coarse.indices)),
                      to_numpy(std::move(coarse.weights))),
      std::make_tuple(to_numpy(std::move(coarse.volume)), weight, to_numpy(std::move(coarse.count))));
}

Label bound_descend(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                    const InOut<Label>& groups, const ObjectiveTuple& j, double negligible,
                    int n_threads, std::uint64_t seed, CancelFlag* flag,
                    const std::optional<nb::object>& engine) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  std::optional<PythonElsewhere> elsewhere = elsewhere_of(engine, graph);
  require(groups.size() == static_cast<std::size_t>(graph.rows()), "a group is needed for each node");
  return run(flag, [&](Cancel& cancel) {
    return descend(graph, nodes, view_of(j), negligible, n_threads, seed, view_of(groups), cancel,
                   elsewhere ? &*elsewhere : nullptr);
  });
}

auto bound_divide(const GraphArrays& graph_arrays, const NodeTuple& node_arrays,
                  const In<Label>& labels, Label n_labels, const In<bool>& divisible,
                  const ObjectiveTuple& j, int n_threads, std::uint64_t seed,
                  CancelFlag* flag) {
  const GraphView graph = view_of(graph_arrays);
  const NodeArrays nodes = view_of(node_arrays, graph.rows());
  check_labels(view_of(labels), graph.rows(), n_labels);
  require(divisible.size() == static_cast<std::size_t>(n_labels),
          "divisible needs an element for each cluster");
  std::vector<Label> pieces(labels.size());
  const Label n_pieces = run(flag, [&](Cancel& cancel) {
    return divide(graph, nodes, view_of(labels), n_labels, view_of(divisible), view_of(j),
                  n_threads, seed, pieces, cancel);
  });
  return std::make_tuple(to_numpy(std::move(pieces)), n_pieces);
}

auto bound_split_components(const GraphArrays& graph_arrays, const In<Label>& labels,
                            CancelFlag* flag) {
  const GraphView graph = view_of(graph_arrays);
  require(labels.size() == static_cast<std::size_t>(graph.rows()), "a label is needed for each node");
  std::vector<Label> pieces(labels.size());
  const Label n_pieces = run(flag, [&](Cancel& cancel) {
    return split_components(graph, view_of(labels), pieces, cancel);
  });
  return std::make_tuple(to_numpy(std::move(pieces)), n_pieces);
}

std::optional<std::tuple<Node, Node>> as_tuple(const std::optional<Position>& position) {
  if (!position) return std::nullopt;
  return std::make_tuple(position->row, position->column);
}

auto bound_first_asymmetry(const GraphArrays& graph, double tolerance) {
  return as_tuple(run(nullptr, [view = view_of(graph), tolerance](Cancel& cancel) {
    return first_asymmetry(view, tolerance, cancel);
  }));
}

auto bound_row_keys(const GraphArrays& arrays) {
  const GraphView rows = view_of(arrays);
  std::vector<std::uint64_t> keys(rows.rows());
  run(nullptr, [&](Cancel& cancel) {
    row_keys(rows, keys, cancel);
    return 0;
  });
  return to_numpy(std::move(keys));
}

auto to_tuple(const ClusterStates& states) {
  return std::make_tuple(copied(std::span(states.label)), copied(std::span(states.size)),
                         copied(std::span(states.changed)), copied(std::span(states.numbers)));
}

/// An object of Python's that has points looked at, in whatever process.
class PythonPointsElsewhere : public PointsElsewhere {
 public:
  explicit PythonPointsElsewhere(nb::object engine)
      : engine_(std::move(engine)),
        least_products_(nb::cast<double>(engine_.attr("least_products"))) {}

  double least_products() const override { return least_products_; }

  void begin(const ClusterStates& all) override {
    nb::gil_scoped_acquire gil;
    engine_.attr("begin")(to_tuple(all));
    n_labels_ = static_cast<Label>(all.label.size());
  }

  void propose(const Visits& visits, const ClusterStates& changes) override {
    nb::gil_scoped_acquire gil;
    for (const Label c : changes.label) n_labels_ = std::max(n_labels_, c + 1);
    const nb::object answer = engine_.attr("propose")(
        copied(visits.points), copied(visits.labels), copied(visits.seen),
        copied(std::span<const double>(visits.others)), to_tuple(changes));
    const auto [targets, others] = nb::cast<std::tuple<In<Label>, In<double>>>(answer);
    require(targets.size() == visits.points.size() && others.size() == visits.points.size(),
            "each point must have a target, and what others cost");
    for (std::size_t k = 0; k < targets.size(); ++k) {
      require(targets.data()[k] >= new_cluster && targets.data()[k] < n_labels_,
              "points must move to a cluster");
    }
    std::ranges::copy(view_of(targets), visits.targets.begin());
    std::ranges::copy(view_of(others), visits.others.begin());
  }

 private:
  nb::object engine_;
  double least_products_;
  Label n_labels_ = 0;
};

/// Who looks at points, if it is not the threads here.
std::optional<PythonPointsElsewhere> elsewhere_of(const std::optional<nb::object>& engine) {
  if (!engine) return std::nullopt;
  return PythonPointsElsewhere(*engine);
}

/// The other side: clusters that follow those of the process that makes the moves.
class PointClusters {
 public:
  PointClusters(PointTuple arrays, const PriorTuple& prior,
                const std::optional<GaussianTuple>& gaussian)
      : arrays_(std::move(arrays)), points_(view_of(arrays_)) {
    copies_ = gaussian ? gaussian_copies(points_, view_of(prior), view_of(*gaussian, points_), never_)
                       : kmeans_copies(points_, view_of(prior), never_);
  }

  void set(const StateTuple& all) { copies_->set(checked(all)); }
  void load(const StateTuple& changes) { copies_->load(checked(changes)); }

  auto propose(const In<Node>& points, const In<Label>& labels, const In<Count>& seen,
               const In<double>& others) {
    const std::size_t n = points.size();
    require(seen.size() == n && others.size() == n, "arrays of points must be of the same length");
    check_labels(view_of(points), n, points_.n);
    check_labels(view_of(labels), n, copies_->n_labels());
    std::vector<Label> targets(n);
    std::vector<double> costs = vector_of(others);
    {
      nb::gil_scoped_release released;
      copies_->propose({view_of(points), view_of(labels), view_of(seen), costs, targets});
    }
    return std::make_tuple(to_numpy(std::move(targets)), to_numpy(std::move(costs)));
  }

 private:
  struct Never : Cancel {
    bool requested() override { return false; }
  };

  ClusterStates checked(const StateTuple& states) const {
    const auto& [label, size, changed, numbers] = states;
    const std::size_t n = label.size();
    require(size.size() == n && changed.size() == n && numbers.size() == n * copies_->state_width(),
            "each cluster must have all its numbers");
    check_labels(view_of(label), n, std::numeric_limits<Label>::max());
    return {vector_of(label), vector_of(size), vector_of(changed), vector_of(numbers)};
  }

  PointTuple arrays_;
  PointsView points_;
  Never never_;
  std::unique_ptr<ClusterCopies> copies_;
};

auto bound_kmeans_moves(const PointTuple& point_arrays, const InOut<Label>& labels, Label n_labels,
                        const PriorTuple& prior, double negligible, int n_threads,
                        std::uint64_t seed, CancelFlag* flag,
                        const std::optional<nb::object>& engine) {
  const PointsView points = view_of(point_arrays);
  check_labels(view_of(labels), points.n, n_labels);
  std::optional<PythonPointsElsewhere> elsewhere = elsewhere_of(engine);
  const VectorMoveOptions options{negligible, n_threads, seed, elsewhere ? &*elsewhere : nullptr};
  const VectorMoveSummary summary = run(flag, [&](Cancel& cancel) {
    return kmeans_moves(points, view_of(labels), n_labels, view_of(prior), options, cancel);
  });
  return std::make_tuple(summary.gain, summary.moves, summary.n_labels);
}

auto bound_gaussian_moves(const PointTuple& point_arrays, const InOut<Label>& labels, Label n_labels,
                          const PriorTuple& prior, const GaussianTuple& gaussian,
                          double negligible, int n_threads, std::uint64_t seed,
                          CancelFlag* flag, const std::optional<nb::object>& engine) {
  const PointsView points = view_of(point_arrays);
  const GaussianParameters parameters = view_of(gaussian, points);
  check_labels(view_of(labels), points.n, n_labels);
  std::optional<PythonPointsElsewhere> elsewhere = elsewhere_of(engine);
  const VectorMoveOptions options{negligible, n_threads, seed, elsewhere ? &*elsewhere : nullptr};
  const VectorMoveSummary summary = run(flag, [&](Cancel& cancel) {
    return gaussian_moves(points, view_of(labels), n_labels, view_of(prior), parameters, options,
                          cancel);
  });
  return std::make_tuple(summary.gain, summary.moves, summary.n_labels);
}

auto bound_gaussian_margins(const PointTuple& point_arrays, const In<Label>& labels, Label n_labels,
                            const PriorTuple& prior, const GaussianTuple& gaussian, int n_threads,
                            CancelFlag* flag) {
  const PointsView points = view_of(point_arrays);
  const GaussianParameters parameters = view_of(gaussian, points);
  check_labels(view_of(labels), points.n, n_labels);
  std::vector<double> margin(points.n);
  run(flag, [&](Cancel& cancel) {
    gaussian_margins(points, view_of(labels), n_labels, view_of(prior), parameters, margin,
                     n_threads, cancel);
    return 0;
  });
  return to_numpy(std::move(margin));
}

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
  PointGroups groups = run(nullptr, [&](Cancel& cancel) {
    Team team(worth_sharing(points, n_threads));
    Ticker ticker(cancel);
    return point_groups(points, view_of(labels), n_labels, squares, team, ticker);
  });
  return std::make_tuple(to_numpy(std::move(groups.mean)), to_numpy(std::move(groups.weight)),
                         to_numpy(std::move(groups.count)), to_numpy(std::move(groups.scatter)));
}

auto bound_nearest_means(const PointTuple& point_arrays, const In<double>& means,
                         const InOut<Label>& nearest, const InOut<double>& beyond, int n_threads,
                         CancelFlag* flag) {
  const PointsView points = view_of(point_arrays);
  require(means.size() > 0 && means.size() % points.dimensions == 0,
          "means must be one or more rows of as many numbers as a point has");
  check_labels(view_of(nearest), points.n, static_cast<Label>(means.size() / points.dimensions));
  require(beyond.size() == static_cast<std::size_t>(points.n), "a distance is needed for each point");
  std::vector<double> squares(points.n);
  run(flag, [&](Cancel& cancel) {
    nearest_means(points, view_of(means), {view_of(nearest), view_of(beyond)}, squares, n_threads,
                  cancel);
    return 0;
  });
  return to_numpy(std::move(squares));
}

auto bound_lloyd_points(const PointTuple& point_arrays, const InOut<Label>& labels, Label n_labels,
                        const PriorTuple& prior, int max_passes, CancelFlag* flag) {
  const PointsView points = view_of(point_arrays);
  check_labels(view_of(labels), points.n, n_labels);
  return run(flag, [&](Cancel& cancel) {
    return lloyd_points(points, view_of(labels), n_labels, view_of(prior), max_passes, cancel);
  });
}

auto bound_lloyd_kernel(const GraphArrays& graph_arrays, const In<double>& diagonal,
                        const In<double>& weight, const InOut<Label>& labels, Label n_labels,
                        const PriorTuple& prior, int max_passes, CancelFlag* flag) {
  const GraphView graph = view_of(graph_arrays);
  const std::size_t n = graph.rows();
  require(diagonal.size() == n && weight.size() == n, "diagonal and weight need an element a node");
  check_labels(view_of(labels), n, n_labels);
  return run(flag, [&](Cancel& cancel) {
    return lloyd_kernel(graph, view_of(diagonal), view_of(weight), view_of(labels), n_labels,
                        view_of(prior), max_passes, cancel);
  });
}

double bound_sum_log_rising(const In<double>& x, const In<double>& d) {
  return run(nullptr, [&](Cancel& cancel) {
    Ticker ticker(cancel);
    double sum = 0;
    for (const double low : view_of(x)) {
      for (const double rise : view_of(d)) sum += log_gamma::rise(low, rise);
      ticker.tick(16 * static_cast<std::int64_t>(d.size()));
    }
    return sum;
  });
}

auto bound_sample_pitman_yor(Count n, double concentration, double discount, std::uint64_t seed) {
  std::vector<Label> labels(n);
  run(nullptr, [&](Cancel& cancel) {
    return sample_pitman_yor(labels, concentration, discount, seed, cancel);
  });
  return to_numpy(std::move(labels));
}

Mirror mirror_of(const std::string& name) {
  require(name == "sum" || name == "max" || name == "mean" || name == "equal",
          "mirror must be 'sum', 'max', 'mean' or 'equal'");
  return name == "sum"    ? Mirror::sum
         : name == "max"  ? Mirror::max
         : name == "mean" ? Mirror::mean
                          : Mirror::equal;
}

/// (offsets, columns, weights): offsets of 32 bits where they suffice, as all of scipy's.
nb::tuple to_tuple(Rows&& rows) {
  nb::object offsets =
      rows.offsets.back() <= std::numeric_limits<std::int32_t>::max()
          ? nb::cast(to_numpy(std::vector<std::int32_t>(rows.offsets.begin(), rows.offsets.end())))
          : nb::cast(to_numpy(std::move(rows.offsets)));
  nb::object weights =
      rows.weights.empty() ? nb::none() : nb::cast(to_numpy(std::move(rows.weights)));
  return nb::make_tuple(offsets, to_numpy(std::move(rows.columns)), weights);
}

nb::tuple bound_take_rows(EdgeList& edges, const std::string& name) {
  const Mirror mirror = mirror_of(name);
  try {
    return to_tuple(run(nullptr, [&](Cancel& cancel) { return edges.take_rows(mirror, cancel); }));
  } catch (const Asymmetric& found) {
    // With the numbers, for who knows the names of the nodes.
    nb::object type = nb::module_::import_("powercut._core").attr("Asymmetric");
    nb::tuple numbers = nb::make_tuple(found.row, found.column, found.there, found.back);
    PyErr_SetObject(type.ptr(), numbers.ptr());
    throw nb::python_error();
  }
}

void bound_add_numbers(EdgeList& edges, const In<std::int64_t>& u, const In<std::int64_t>& v,
                       const std::optional<In<double>>& weight) {
  require(!edges.has_names(), "these edges have names");
  require(u.size() == v.size() && (!weight || weight->size() == u.size()),
          "u, v and weight need an element for each edge");
  require(weight.has_value() == edges.is_weighted(), "either all edges have weights or none");
  nb::gil_scoped_release no_gil;
  for (std::size_t e = 0; e < u.size(); ++e) {
    edges.add(u.data()[e], v.data()[e], weight ? weight->data()[e] : 1.0);
  }
}

/// (text, offsets): names one after the other, and where each begins and ends.
using NameTuple = std::tuple<In<std::uint8_t>, In<std::int64_t>>;

std::string_view name_at(const NameTuple& names, std::size_t i) {
  const auto& [text, offsets] = names;
  const std::int64_t begin = offsets.data()[i], end = offsets.data()[i + 1];
  require(begin >= 0 && begin <= end && static_cast<std::size_t>(end) <= text.size(),
          "offsets must rise within the text");
  return {reinterpret_cast<const char*>(text.data()) + begin, static_cast<std::size_t>(end - begin)};
}

void bound_add_names(EdgeList& edges, const NameTuple& u, const NameTuple& v,
                     const std::optional<In<double>>& weight) {
  require(edges.has_names(), "these edges have numbers");
  const std::size_t n_offsets = std::get<1>(u).size();
  require(n_offsets >= 1 && std::get<1>(v).size() == n_offsets &&
              (!weight || weight->size() == n_offsets - 1),
          "u, v and weight need an element for each edge");
  require(weight.has_value() == edges.is_weighted(), "either all edges have weights or none");
  nb::gil_scoped_release no_gil;
  for (std::size_t e = 0; e + 1 < n_offsets; ++e) {
    edges.add(name_at(u, e), name_at(v, e), weight ? weight->data()[e] : 1.0);
  }
}

/// (text, ends) of the names of nodes.
auto bound_names(const EdgeList& edges) {
  const NameNumbers& names = edges.names();
  return nb::make_tuple(nb::bytes(names.text().data(), names.text().size()),
                        to_numpy(std::vector<std::int64_t>(names.ends())));
}

template <class Text>
void bound_feed(Text& reader, const In<std::uint8_t>& text) {
  const std::string_view view(reinterpret_cast<const char*>(text.data()), text.size());
  run(nullptr, [&](Cancel& cancel) { reader.feed(view, cancel); });
}

}  // namespace
}  // namespace powercut

NB_MODULE(_core, m) {
  using namespace powercut;
  m.doc() = "The kernels of powercut. Internal: arrays in, arrays out, nothing checked twice.";

  nb::exception<Cancelled>(m, "Cancelled");
  nb::exception<BadText>(m, "BadText", PyExc_ValueError);
  nb::exception<Asymmetric>(m, "Asymmetric", PyExc_ValueError);
  nb::exception<TooManyNodes>(m, "TooManyNodes", PyExc_ValueError);

  nb::class_<CancelFlag>(m, "CancelFlag")
      .def(nb::init<>())
      .def("set", &CancelFlag::set)
      .def("is_set", &CancelFlag::is_set)
      .def("expire_in", &CancelFlag::expire_in, "seconds"_a)
      .def("expired", &CancelFlag::expired)
      .def("listen", &CancelFlag::listen, "callback"_a.none())
      .def("reached", &CancelFlag::reached, "objective"_a)
      .def("round", &CancelFlag::round);

  m.def("cluster_stats", &bound_cluster_stats, "graph"_a, "nodes"_a, "labels"_a, "n_labels"_a,
        "n_threads"_a);
  m.def("inside_degrees", &bound_inside_degrees, "graph"_a, "labels"_a, "squared"_a, "n_threads"_a);
  m.def("draw_wedges", &bound_draw_wedges, "graph"_a, "labels"_a, "strength"_a, "size"_a,
        "density"_a, "draws"_a, "seed"_a);
  m.def("beyond_poisson", &bound_beyond_poisson, "graph"_a, "size"_a, "labels"_a, "density"_a,
        "background"_a, "n_threads"_a);
  m.def("objective", &bound_objective, "graph"_a, "nodes"_a, "labels"_a, "n_labels"_a, "objective"_a);
  m.def("local_moves", &bound_local_moves, "graph"_a, "nodes"_a, "labels"_a, "n_labels"_a,
        "objective"_a, "within"_a.none(), "keep_connected"_a, "exhaustive"_a,
        "negligible"_a, "n_threads"_a, "seed"_a, "cancel"_a.none(), "engine"_a.none());
  m.def("group_moves", &bound_group_moves, "graph"_a, "nodes"_a, "groups"_a, "labels"_a,
        "objective"_a, "negligible"_a, "n_threads"_a, "seed"_a, "cancel"_a.none());
  m.def("wishes", &bound_wishes, "graph"_a, "nodes"_a, "labels"_a, "stats"_a, "objective"_a,
        "block"_a, "begin"_a, "end"_a);
  m.def("called", &bound_called, "graph"_a, "labels"_a, "block_of"_a, "moved"_a);
  m.def("margins", &bound_margins, "graph"_a, "nodes"_a, "labels"_a, "n_labels"_a, "objective"_a,
        "n_threads"_a, "cancel"_a.none());
  m.def("aggregate", &bound_aggregate, "graph"_a, "nodes"_a, "labels"_a, "n_labels"_a,
        "n_threads"_a, "cancel"_a.none());
  m.def("descend", &bound_descend, "graph"_a, "nodes"_a, "groups"_a, "objective"_a, "negligible"_a,
        "n_threads"_a, "seed"_a, "cancel"_a.none(), "engine"_a.none());
  m.def("divide", &bound_divide, "graph"_a, "nodes"_a, "labels"_a, "n_labels"_a, "divisible"_a,
        "objective"_a, "n_threads"_a, "seed"_a, "cancel"_a.none());
  m.def("split_components", &bound_split_components, "graph"_a, "labels"_a, "cancel"_a.none());
  m.def("first_asymmetry", &bound_first_asymmetry, "graph"_a, "tolerance"_a);
  m.def("row_keys", &bound_row_keys, "rows"_a);
  m.def("point_groups", &bound_point_groups, "points"_a, "labels"_a, "n_labels"_a, "squares"_a,
        "n_threads"_a);
  m.def("nearest_means", &bound_nearest_means, "points"_a, "means"_a, "nearest"_a, "beyond"_a,
        "n_threads"_a, "cancel"_a.none());
  m.def("kmeans_moves", &bound_kmeans_moves, "points"_a, "labels"_a, "n_labels"_a, "prior"_a,
        "negligible"_a, "n_threads"_a, "seed"_a, "cancel"_a.none(), "engine"_a.none());
  m.def("gaussian_moves", &bound_gaussian_moves, "points"_a, "labels"_a, "n_labels"_a, "prior"_a,
        "gaussian"_a, "negligible"_a, "n_threads"_a, "seed"_a, "cancel"_a.none(),
        "engine"_a.none());
  nb::class_<PointClusters>(m, "PointClusters")
      .def(nb::init<PointTuple, const PriorTuple&, const std::optional<GaussianTuple>&>(),
           "points"_a, "prior"_a, "gaussian"_a.none())
      .def("set", &PointClusters::set, "clusters"_a)
      .def("load", &PointClusters::load, "clusters"_a)
      .def("propose", &PointClusters::propose, "points"_a, "labels"_a, "seen"_a, "others"_a);
  m.def("gaussian_margins", &bound_gaussian_margins, "points"_a, "labels"_a, "n_labels"_a,
        "prior"_a, "gaussian"_a, "n_threads"_a, "cancel"_a.none());
  m.def("lloyd_points", &bound_lloyd_points, "points"_a, "labels"_a, "n_labels"_a, "prior"_a,
        "max_passes"_a, "cancel"_a.none());
  m.def("lloyd_kernel", &bound_lloyd_kernel, "graph"_a, "diagonal"_a, "weight"_a, "labels"_a,
        "n_labels"_a, "prior"_a, "max_passes"_a, "cancel"_a.none());
  nb::class_<EdgeList>(m, "EdgeList")
      .def(nb::init<bool, bool>(), "names"_a, "weighted"_a)
      .def_prop_ro("size", &EdgeList::size)
      .def("add_numbers", &bound_add_numbers, "u"_a, "v"_a, "weight"_a.none())
      .def("add_names", &bound_add_names, "u"_a, "v"_a, "weight"_a.none())
      .def("take_rows", &bound_take_rows, "mirror"_a)
      .def("ids", [](const EdgeList& edges) { return to_numpy(std::vector(edges.ids())); })
      .def("names", &bound_names);
  nb::class_<EdgeText>(m, "EdgeText")
      .def("__init__",
           [](EdgeText* self, EdgeList& edges, const std::string& delimiter, int n_columns,
              bool header) {
             const int least = edges.is_weighted() ? 3 : 2;
             require(delimiter.size() <= 1, "the delimiter must be one character, or none");
             require(n_columns >= least, "edges need two columns, and their weights a third");
             new (self) EdgeText(edges, {delimiter.empty() ? '\0' : delimiter[0], n_columns, header});
           },
           "edges"_a, "delimiter"_a, "n_columns"_a, "header"_a, nb::keep_alive<1, 2>())
      .def("feed", &bound_feed<EdgeText>, "text"_a)
      .def("finish", &EdgeText::finish);
  nb::class_<MetisText>(m, "MetisText")
      .def(nb::init<EdgeList&>(), "edges"_a, nb::keep_alive<1, 2>())
      .def("feed", &bound_feed<MetisText>, "text"_a)
      .def("finish", &MetisText::finish)
      .def_prop_ro("has_node_weights", &MetisText::has_node_weights);
  m.def("sum_log_rising", &bound_sum_log_rising, "x"_a, "d"_a);
  m.def("sample_pitman_yor", &bound_sample_pitman_yor, "n"_a, "concentration"_a, "discount"_a,
        "seed"_a);
}
