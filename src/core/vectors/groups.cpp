#include "vectors/groups.hpp"

#include <algorithm>

#include "base/members.hpp"

namespace powercut {
namespace {

/// Points per piece.
constexpr std::size_t piece_length = 4096;

/// Points of one group that are summed by one thread.
struct Piece {
  Label group;
  std::size_t begin;
  std::size_t end;
};

class Grouping {
 public:
  Grouping(const PointsView& points, std::span<const Label> labels, Label n_labels,
           ThreadTeam& team, Ticker& ticker)
      : points_(points),
        team_(team),
        ticker_(ticker),
        groups_(group_by_label(labels, n_labels)),
        buffers_(team.size()) {
    for (Label c = 0; c < n_labels; ++c) {
      const std::size_t end = groups_.start[c + 1];
      for (std::size_t begin = groups_.start[c]; begin < end; begin += piece_length) {
        pieces_.push_back({c, begin, std::min(begin + piece_length, end)});
      }
    }
  }

  /// Sums add(point, group, sums), which adds `width` numbers, over the points of each group.
  template <class Add>
  void sum(std::vector<double>& total, std::size_t width, const Add& add) {
    std::vector<double> partial(pieces_.size() * width, 0.0);
    constexpr std::int64_t pieces_per_range = 4;
    team_.for_ranges(
        static_cast<std::int64_t>(pieces_.size()), pieces_per_range,
        [&](int thread, std::int64_t begin, std::int64_t end) {
          for (std::int64_t p = begin; p < end; ++p) {
            const Piece& piece = pieces_[p];
            for (std::size_t m = piece.begin; m < piece.end; ++m) {
              prefetch_ahead(m);
              add(point_at(groups_.members[m], thread), piece.group, partial.data() + p * width);
            }
            if (thread == 0) {
              ticker_.tick(static_cast<std::int64_t>((piece.end - piece.begin) * width));
            }
          }
        });
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      double* sums = total.data() + pieces_[p].group * width;
      for (std::size_t j = 0; j < width; ++j) sums[j] += partial[p * width + j];
    }
  }

 private:
  WeightedPoint point_at(Node i, int thread) {
    return {points_.row(i, buffers_[thread]), points_.weight_of(i), points_.scatter_of(i)};
  }

  /// The rows of a group are scattered in memory.
  void prefetch_ahead(std::size_t m) const {
    constexpr std::size_t soon = 8;
    if (m + soon < groups_.members.size()) points_.prefetch(groups_.members[m + soon]);
  }

  const PointsView& points_;
  ThreadTeam& team_;
  Ticker& ticker_;
  Members groups_;
  std::vector<Piece> pieces_;
  std::vector<std::vector<double>> buffers_;
};

/// Adds the squares of a point around the mean of its group.
struct AddSquares {
  Squares squares;
  std::size_t d;
  const std::vector<double>& mean;

  void operator()(const WeightedPoint& point, Label group, double* sums) const {
    const double* centre = &mean[group * d];
    switch (squares) {
      case Squares::total: sums[0] += point.weight * squared_distance(point.x, centre, d); break;
      case Squares::features:
        for (std::size_t j = 0; j < d; ++j) {
          const double away = point.x[j] - centre[j];
          sums[j] += point.weight * away * away;
        }
        break;
      default:
        for (std::size_t i = 0; i < d; ++i) {
          const double away = point.weight * (point.x[i] - centre[i]);
          for (std::size_t j = 0; j < d; ++j) sums[i * d + j] += away * (point.x[j] - centre[j]);
        }
    }
    if (point.scatter == nullptr) return;
    const std::size_t width = width_of(squares, d);
    for (std::size_t j = 0; j < width; ++j) sums[j] += point.scatter[j];
  }
};

}  // namespace

PointGroups point_groups(const PointsView& points, std::span<const Label> labels, Label n_labels,
                         Squares squares, ThreadTeam& team, Ticker& ticker) {
  const std::size_t d = static_cast<std::size_t>(points.dimensions), k = n_labels;
  const std::size_t width = width_of(squares, d);
  PointGroups groups{std::vector<double>(k * d, 0.0),
                     std::vector<double>(k, 0.0),
                     std::vector<Count>(k, 0),
                     std::vector<double>(k * width, 0.0),
                     d,
                     width};
  for (Node i = 0; i < points.n; ++i) {
    groups.weight[labels[i]] += points.weight_of(i);
    groups.count[labels[i]] += points.count_of(i);
  }
  Grouping grouping(points, labels, n_labels, team, ticker);
  grouping.sum(groups.mean, d, [d](const WeightedPoint& point, Label, double* sums) {
    for (std::size_t j = 0; j < d; ++j) sums[j] += point.weight * point.x[j];
  });
  for (std::size_t c = 0; c < k; ++c) {
    if (groups.count[c] == 0) continue;
    for (std::size_t j = 0; j < d; ++j) groups.mean[c * d + j] /= groups.weight[c];
  }
  if (width > 0) grouping.sum(groups.scatter, width, AddSquares{squares, d, groups.mean});
  return groups;
}

void add_groups(PointGroups& groups, const PointsView& others, Squares squares) {
  const std::size_t d = groups.dimensions, width = groups.scatter_width;
  std::vector<double> buffer, before(d);
  for (Node c = 0; c < others.n; ++c) {
    const double weight = others.weight_of(c);
    if (others.count_of(c) == 0) continue;
    double* mean = &groups.mean[c * d];
    const double* x = others.row(c, buffer);
    const double total = groups.weight[c] + weight;
    std::copy_n(mean, d, before.begin());
    for (std::size_t j = 0; j < d; ++j) mean[j] += weight / total * (x[j] - mean[j]);
    if (width > 0) {
      // Both groups are points around the common mean.
      double* scatter = &groups.scatter[c * width];
      const AddSquares add{squares, d, groups.mean};
      add({before.data(), groups.weight[c], nullptr}, c, scatter);
      add({x, weight, others.scatter_of(c)}, c, scatter);
    }
    groups.weight[c] = total;
    groups.count[c] += others.count_of(c);
  }
}

}  // namespace powercut
