#include "graphs/symmetric_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

namespace powercut {
namespace {

// Relative; for float64 weights.
constexpr double tolerance = 1e-8;

// Entries between a prefetch and the use; half of it for what the entries point to.
constexpr Entry lookahead = 32;
constexpr int log_buckets = 10;

struct Weighted {
  PackedEnd end;
  double weight;
};

PackedEnd end_of(PackedEnd item) { return item; }
PackedEnd end_of(const Weighted& item) { return item.end; }
double weight_of(PackedEnd) { return 1.0; }
double weight_of(const Weighted& item) { return item.weight; }

/// A[i, j] from the given a[i, j] and a[j, i].
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

}  // namespace

RowBuilder::RowBuilder(Node n, bool weighted)
    : n_(n),
      weighted_(weighted),
      shift_(
          std::max(0, static_cast<int>(std::bit_width(static_cast<PackedEnd>(n))) - log_buckets)),
      buckets_((static_cast<std::size_t>(n) >> shift_) + 1) {}

void RowBuilder::add_chunk(Chunks& chunks) const {
  // Not zero-initialized: every element is written before it is read.
  std::unique_ptr<Chunk> chunk(new Chunk);
  if (weighted_) chunk->weights.reset(new double[chunk_size]);
  chunks.push_back(std::move(chunk));
}

Rows RowBuilder::take(Mirror mirror, Ticker& ticker) {
  std::size_t n_entries = 0;
  for (const Chunks& chunks : buckets_) {
    if (!chunks.empty()) n_entries += (chunks.size() - 1) * chunk_size + chunks.back()->size;
  }
  offsets_.reserve(static_cast<std::size_t>(n_) + 1);
  offsets_.push_back(0);
  lower_.reserve(n_entries);
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    if (weighted_) {
      sort_bucket<Weighted>(bucket, mirror, ticker);
    } else {
      sort_bucket<Packed>(bucket, mirror, ticker);
    }
  }
  return mirrored(ticker);
}

/// Groups the entries of a bucket by row, and frees the bucket.
template <class Item>
void RowBuilder::sort_bucket(std::size_t bucket, Mirror mirror, Ticker& ticker) {
  const Chunks chunks = std::exchange(buckets_[bucket], {});
  const Node first = static_cast<Node>(bucket << shift_);
  const Node n_rows = std::min<Entry>(n_ - first, Entry{1} << shift_);
  std::vector<Entry> next(static_cast<std::size_t>(n_rows) + 1, 0);
  for (const auto& chunk : chunks) {
    for (std::size_t e = 0; e < chunk->size; ++e) ++next[chunk->large[e] - first + 1];
  }
  for (Node row = 0; row < n_rows; ++row) next[row + 1] += next[row];
  std::vector<Item> items(next.back());
  for (const auto& chunk : chunks) {
    for (std::size_t e = 0; e < chunk->size; ++e) {
      Item& item = items[next[chunk->large[e] - first]++];
      if constexpr (std::is_same_v<Item, Weighted>) {
        item = {chunk->small[e], chunk->weights[e]};
      } else {
        item = chunk->small[e];
      }
    }
  }
  for (Node row = 0; row < n_rows; ++row) {
    const Entry begin = row == 0 ? 0 : next[row - 1];
    merge_row(std::span(items).subspan(begin, next[row] - begin), first + row, mirror);
    ticker.tick(1 + next[row] - begin);
  }
}

/// Merges the entries of each pair.
template <class Item>
void RowBuilder::merge_row(std::span<Item> row, Node j, Mirror mirror) {
  const auto by_end = [](const Item& a, const Item& b) { return end_of(a) < end_of(b); };
  // A stable sort: weights are summed in the order in which they were added.
  if constexpr (std::is_same_v<Item, Weighted>) {
    std::stable_sort(row.begin(), row.end(), by_end);
  } else {
    std::sort(row.begin(), row.end(), by_end);
  }
  for (std::size_t e = 0; e < row.size();) {
    const Node i = static_cast<Node>(end_of(row[e]) >> 1);
    double there = 0, back = 0;
    for (std::size_t first = e; e < row.size(); ++e) {
      if (static_cast<Node>(end_of(row[e]) >> 1) != i) break;
      if (e > first && end_of(row[e]) == end_of(row[e - 1])) ++repeats_;
      (end_of(row[e]) & 1 ? back : there) += weight_of(row[e]);
    }
    keep(i, combine(mirror, i, j, there, back));
  }
  offsets_.push_back(static_cast<Entry>(lower_.size()));
}

void RowBuilder::keep(Node i, double weight) {
  if (weight == 0) return;
  if (weight != 1 && ones_) {
    ones_ = false;
    weights_.reserve(lower_.capacity());
    weights_.assign(lower_.size(), 1.0);
  }
  lower_.push_back(i);
  if (!ones_) weights_.push_back(weight);
}

/// The complete rows: entries right of the diagonal mirror those left of it.
Rows RowBuilder::mirrored(Ticker& ticker) {
  const Entry n_pairs = static_cast<Entry>(lower_.size());
  Rows rows;
  rows.repeats = repeats_;
  rows.offsets.assign(static_cast<std::size_t>(n_) + 1, 0);
  for (Node j = 0; j < n_; ++j) {
    rows.offsets[j + 1] += offsets_[j + 1] - offsets_[j];
    for (Entry e = offsets_[j]; e < offsets_[j + 1]; ++e) {
      if (e + lookahead < n_pairs) prefetch_memory(&rows.offsets[lower_[e + lookahead] + 1]);
      if (lower_[e] != j) ++rows.offsets[lower_[e] + 1];
    }
  }
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  rows.columns.resize(rows.offsets.back());
  rows.weights.resize(ones_ ? 0 : rows.offsets.back());
  const auto put = [&](Node row, Node column, Entry e) {
    const Entry at = rows.offsets[row]++;
    rows.columns[at] = column;
    if (!ones_) rows.weights[at] = weights_[e];
  };
  for (Node j = 0; j < n_; ++j) {
    // The row is still empty: entries right of its diagonal come from later rows.
    for (Entry e = offsets_[j]; e < offsets_[j + 1]; ++e) put(j, lower_[e], e);
    for (Entry e = offsets_[j]; e < offsets_[j + 1]; ++e) {
      if (e + lookahead < n_pairs) prefetch_memory(&rows.offsets[lower_[e + lookahead]]);
      if (e + lookahead / 2 < n_pairs) {
        const Entry soon = rows.offsets[lower_[e + lookahead / 2]];
        prefetch_memory(&rows.columns[soon]);
        if (!ones_) prefetch_memory(&rows.weights[soon]);
      }
      if (lower_[e] != j) put(lower_[e], j, e);
    }
    ticker.tick(1 + offsets_[j + 1] - offsets_[j]);
  }
  std::move_backward(rows.offsets.begin(), rows.offsets.end() - 1, rows.offsets.end());
  rows.offsets.front() = 0;
  return rows;
}

}  // namespace powercut
