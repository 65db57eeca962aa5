#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "cancel.hpp"
#include "pages.hpp"
#include "types.hpp"

namespace powercut {

/// How the entries a[i, j] and a[j, i] that are given make A[i, j] = A[j, i]; an absent one is 0.
enum class Mirror { sum, max, mean, equal };

/// Entries that must be equal and are not.
class Asymmetric : public std::exception {
 public:
  Asymmetric(Node row, Node column, double there, double back)
      : row(row), column(column), there(there), back(back) {}
  const char* what() const noexcept override { return "the entries are not symmetric"; }

  Node row, column;
  double there, back;
};

/// Sorted compressed rows of a symmetric matrix, without zeros.
struct Rows {
  std::vector<Entry> offsets;
  LargeVector<Node> columns;
  LargeVector<double> weights;  ///< empty where all are 1
};

/// Makes rows of entries that come in any order, more than once or in both directions.
///
/// Entries are grouped three times by one of their ends, which sorts them on the way: the memory
/// that is needed, besides the entries given, is that of the result and half of it.
class RowBuilder {
 public:
  RowBuilder(Node n, Entry n_entries, bool weighted);

  /// First every entry is counted, then there is room for all, then every one is placed.
  void count(Node i, Node j) { ++offsets_[(i > j ? i : j) + 1]; }
  void allot();
  void place(Node i, Node j, double weight) {
    const bool flipped = i > j;
    const Entry at = offsets_[flipped ? i : j]++;
    ends_[at] = pack(flipped ? j : i, flipped);
    if (weighted_) weights_[at] = weight;
  }
  Rows take(Mirror mirror, Ticker& ticker);

 private:
  using Packed = std::uint32_t;  // a node, and whether it is the second of an entry
  static Packed pack(Node i, bool flipped) { return static_cast<Packed>(i) << 1 | (flipped ? 1 : 0); }
  static Node node(Packed end) { return static_cast<Node>(end >> 1); }

  void group_by_smaller(Ticker& ticker);
  bool all_ones(Mirror mirror) const;
  void merge(Mirror mirror, bool ones, Ticker& ticker);
  Rows mirrored(bool ones, Ticker& ticker);
  template <class Visit>
  void for_each_pair(Node i, Mirror mirror, Visit&& visit) const;

  Node n_;
  bool weighted_;
  std::vector<Entry> offsets_;  // of the groups; while entries are placed, where the next one goes
  LargeVector<Packed> ends_;
  LargeVector<double> weights_;
};

}  // namespace powercut
