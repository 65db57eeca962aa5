#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/large_pages.hpp"
#include "base/types.hpp"

namespace powercut {

/// How the entries a[i, j] and a[j, i] that are given make A[i, j] = A[j, i]; an absent one is 0.
enum class Mirror { sum, max, mean, equal };

/// Entries that must be equal and are not.
class Asymmetric : public std::exception {
 public:
  Asymmetric(Node i, Node j, double a_ij, double a_ji)
      : row(i), column(j), there(a_ij), back(a_ji) {}
  const char* what() const noexcept override { return "the entries are not symmetric"; }

  Node row, column;
  double there, back;
};

/// Sorted compressed rows of a symmetric matrix, without zeros.
struct Rows {
  LargeVector<Entry> offsets;
  LargeVector<Node> columns;
  LargeVector<double> weights;  ///< empty where all are 1
};

/// Makes rows of entries that come in any order, more than once or in both directions.
///
/// Each pair of nodes is kept once, with its larger node, and mirrored at last. Entries are first
/// put into buckets of rows that lie side by side, and each bucket is sorted by itself: what is
/// written at a time stays near. The memory that is needed is that of the result and half of it.
class RowBuilder {
 public:
  RowBuilder(Node n, bool weighted);

  /// The weight is looked at where entries are weighted only.
  void add(Node i, Node j, double weight) {
    const bool flipped = i > j;
    const Node large = flipped ? i : j;
    auto& chunks = buckets_[large >> shift_];
    if (chunks.empty() || chunks.back()->size == chunk_size) add_chunk(chunks);
    Chunk& chunk = *chunks.back();
    chunk.large[chunk.size] = large;
    chunk.small[chunk.size] = static_cast<Packed>(flipped ? j : i) << 1 | (flipped ? 1 : 0);
    if (weighted_) chunk.weights[chunk.size] = weight;
    ++chunk.size;
  }
  /// Leaves no entries behind.
  Rows take(Mirror mirror, Ticker& ticker);

 private:
  using Packed = std::uint32_t;  // the smaller node, and whether it is the second of the entry
  static constexpr std::size_t chunk_size = 4096;
  struct Chunk {
    std::array<Node, chunk_size> large;
    std::array<Packed, chunk_size> small;
    std::unique_ptr<double[]> weights;
    std::size_t size = 0;
  };
  using Chunks = std::vector<std::unique_ptr<Chunk>>;

  void add_chunk(Chunks& chunks) const;
  template <class Item>
  void sort_bucket(std::size_t bucket, Mirror mirror, Ticker& ticker);
  template <class Item>
  void merge_row(std::span<Item> row, Node j, Mirror mirror);
  void keep(Node i, double weight);
  Rows mirrored(Ticker& ticker);

  Node n_;
  bool weighted_;
  int shift_;
  std::vector<Chunks> buckets_;
  // Pairs, each with its larger node: what is left of the diagonal, and it.
  LargeVector<Entry> offsets_;
  LargeVector<Node> lower_;
  bool ones_ = true;  // whether all weights are 1, and not kept
  LargeVector<double> weights_;
};

}  // namespace powercut
