#include "symmetric_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace powercut {
namespace {

// As in checks.hpp, for weights of 64 bits.
constexpr double tolerance = 1e-8;

/// A[i, j] of what was given in both directions.
double combine(Mirror mirror, Node i, Node j, double there, double back) {
  if (i == j) return there;
  switch (mirror) {
    case Mirror::sum: return there + back;
    case Mirror::max: return std::max(there, back);
    case Mirror::mean: return 0.5 * (there + back);
    case Mirror::equal: break;
  }
  if (std::abs(there - back) > tolerance * std::max(there, back)) {
    throw Asymmetric(i, j, there, back);
  }
  return there;
}

/// Turns counts, one place to the right, into the offsets at which groups begin.
void accumulate(std::vector<Entry>& counts) {
  for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
}

/// Turns the ends of groups back into their beginnings.
void rewind(std::vector<Entry>& offsets) {
  std::move_backward(offsets.begin(), offsets.end() - 1, offsets.end());
  offsets.front() = 0;
}

}  // namespace

RowBuilder::RowBuilder(Node n, Entry n_entries, bool weighted)
    : n_(n), weighted_(weighted), offsets_(static_cast<std::size_t>(n) + 1, 0) {
  ends_.resize(n_entries);
  weights_.resize(weighted ? n_entries : 0);
}

void RowBuilder::allot() { accumulate(offsets_); }

Rows RowBuilder::take(Mirror mirror, Ticker& ticker) {
  rewind(offsets_);
  group_by_smaller(ticker);
  const bool ones = !weighted_ && all_ones(mirror);
  merge(mirror, ones, ticker);
  return mirrored(ones, ticker);
}

/// From groups by the larger end to groups by the smaller one, sorted by the larger.
void RowBuilder::group_by_smaller(Ticker& ticker) {
  std::vector<Entry> next(static_cast<std::size_t>(n_) + 1, 0);
  for (const Packed end : ends_) ++next[node(end) + 1];
  accumulate(next);
  LargeVector<Packed> ends(ends_.size());
  LargeVector<double> weights(weights_.size());
  for (Node j = 0; j < n_; ++j) {
    for (Entry e = offsets_[j]; e < offsets_[j + 1]; ++e) {
      const Entry at = next[node(ends_[e])]++;
      ends[at] = pack(j, ends_[e] & 1);
      if (weighted_) weights[at] = weights_[e];
    }
    ticker.tick(1 + offsets_[j + 1] - offsets_[j]);
  }
  rewind(next);
  offsets_ = std::move(next);
  ends_ = std::move(ends);
  weights_ = std::move(weights);
}

/// Calls visit(j, A[i, j]) for each j >= i of group i.
template <class Visit>
void RowBuilder::for_each_pair(Node i, Mirror mirror, Visit&& visit) const {
  const Entry end = offsets_[i + 1];
  for (Entry e = offsets_[i]; e < end;) {
    const Node j = node(ends_[e]);
    double there = 0, back = 0;
    for (; e < end && node(ends_[e]) == j; ++e) {
      (ends_[e] & 1 ? back : there) += weighted_ ? weights_[e] : 1.0;
    }
    visit(j, combine(mirror, i, j, there, back));
  }
}

bool RowBuilder::all_ones(Mirror mirror) const {
  bool ones = true;
  for (Node i = 0; i < n_ && ones; ++i) {
    for_each_pair(i, mirror, [&](Node, double w) { ones &= w == 1; });
  }
  return ones;
}

/// Makes one entry of those of each pair, in place, and drops zeros.
void RowBuilder::merge(Mirror mirror, bool ones, Ticker& ticker) {
  if (!ones && !weighted_) weights_.resize(ends_.size());
  Entry kept = 0, begin = 0;
  for (Node i = 0; i < n_; ++i) {
    const Entry group = kept;
    for_each_pair(i, mirror, [&](Node j, double w) {
      if (w == 0) return;
      ends_[kept] = pack(j, false);
      if (!ones) weights_[kept] = w;
      ++kept;
    });
    ticker.tick(1 + offsets_[i + 1] - begin);
    begin = offsets_[i + 1];
    offsets_[i] = group;
  }
  offsets_[n_] = kept;
  ends_.resize(kept);
  if (!ones) weights_.resize(kept);
}

/// The whole rows: what is left of the diagonal is the mirror image of what is right of it.
Rows RowBuilder::mirrored(bool ones, Ticker& ticker) {
  Rows rows;
  rows.offsets.assign(static_cast<std::size_t>(n_) + 1, 0);
  for (Node i = 0; i < n_; ++i) {
    rows.offsets[i + 1] += offsets_[i + 1] - offsets_[i];
    for (Entry e = offsets_[i]; e < offsets_[i + 1]; ++e) {
      if (node(ends_[e]) != i) ++rows.offsets[node(ends_[e]) + 1];
    }
  }
  accumulate(rows.offsets);
  rows.columns.resize(rows.offsets.back());
  rows.weights.resize(ones ? 0 : rows.offsets.back());
  const auto put = [&](Node row, Node column, Entry e) {
    const Entry at = rows.offsets[row]++;
    rows.columns[at] = column;
    if (!ones) rows.weights[at] = weights_[e];
  };
  for (Node i = 0; i < n_; ++i) {
    // The rows above have placed all that is left of the diagonal of this one.
    for (Entry e = offsets_[i]; e < offsets_[i + 1]; ++e) {
      const Node j = node(ends_[e]);
      put(i, j, e);
      if (j != i) put(j, i, e);
    }
    ticker.tick(1 + offsets_[i + 1] - offsets_[i]);
  }
  rewind(rows.offsets);
  if (std::all_of(rows.weights.begin(), rows.weights.end(), [](double w) { return w == 1; })) {
    rows.weights = {};
  }
  return rows;
}

}  // namespace powercut
