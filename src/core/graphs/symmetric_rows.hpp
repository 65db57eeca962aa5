#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "base/cancellation.hpp"
#include "base/large_pages.hpp"
#include "base/types.hpp"

namespace powercut {

/// How given entries a[i, j] and a[j, i] define A[i, j] = A[j, i]; absent entries are 0.
enum class Mirror { sum, max, mean, equal };

/// Entries that should be equal but are not.
class Asymmetric : public std::exception {
 public:
  Asymmetric(Node i, Node j, double a_ij, double a_ji)
      : row(i), column(j), there(a_ij), back(a_ji) {}
  const char* what() const noexcept override { return "the entries are not symmetric"; }

  Node row, column;
  double there, back;
};

/// Sorted compressed rows of a symmetric matrix, without explicit zeros.
struct Rows {
  LargeVector<Entry> offsets;
  LargeVector<Node> columns;
  LargeVector<double> weights;  ///< empty: all 1
  std::int64_t repeats = 0;  ///< entries that were added to another one of the same row and column
};

/// The smaller node of a pair, shifted by one bit that says whether it came second.
using PackedEnd = std::make_unsigned_t<Node>;

/// Builds rows from entries in any order, with repeats, in one or both directions.
///
/// Each pair of nodes is stored once, in the row of the larger node, and mirrored at the end.
/// Entries are first distributed over buckets of adjacent rows, each of which is sorted within the
/// cache. The peak memory is 1.5 times that of the result.
class RowBuilder {
 public:
  RowBuilder(Node n, bool weighted);

  /// The weight is ignored if entries are unweighted.
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
  /// The builder is empty afterwards.
  Rows take(Mirror mirror, Ticker& ticker);

 private:
  using Packed = PackedEnd;
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
  // The lower triangle, diagonal included.
  LargeVector<Entry> offsets_;
  LargeVector<Node> lower_;
  bool ones_ = true;  // all weights are 1 and not stored
  LargeVector<double> weights_;
  std::int64_t repeats_ = 0;
};

}  // namespace powercut
